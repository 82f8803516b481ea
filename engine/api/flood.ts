export interface FloodOptions {
  /** Units at once (DECISIONS.md, "Limits count cost"). */
  readonly burst: number;
  readonly perSecond: number;
  /** Connections at once, WebSockets among them; 640 when left out. */
  readonly socketsPerClient?: number;
}

export const defaultFlood: FloodOptions = { burst: 300, perSecond: 50 };

interface Bucket {
  left: number;
  /** Milliseconds of the monotonic clock at which `left` was true. */
  at: number;
}

const mostBuckets = 10_000;

/**
 * Takes from a client's allowance what a request costs; answers the seconds to wait, or 0 when the request may pass.
 */
export type Admit<Client> = (client: Client, cost: number) => number;

export function createFlood(
  { burst, perSecond }: FloodOptions,
  now: () => number = () => performance.now(),
): Admit<string> {
  const buckets = new Map<string, Bucket>();
  const refilled = (bucket: Bucket, at: number): number =>
    Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond);

  function forgetTheFull(at: number): void {
    for (const [client, bucket] of buckets) if (refilled(bucket, at) >= burst) buckets.delete(client);
  }

  return (client, cost) => {
    const at = now();
    if (buckets.size >= mostBuckets) forgetTheFull(at);
    const bucket = buckets.get(client) ?? { left: burst, at };
    bucket.left = refilled(bucket, at);
    bucket.at = at;
    buckets.set(client, bucket);
    // What costs more than a whole allowance passes with a full one, and leaves a debt.
    const needed = Math.min(cost, burst);
    if (bucket.left < needed) return Math.max(1, Math.ceil((needed - bucket.left) / perSecond));
    bucket.left -= cost;
    return 0;
  };
}
