export interface FloodOptions {
  /** Requests at once. */
  readonly burst: number;
  readonly perSecond: number;
}

export const defaultFlood: FloodOptions = { burst: 300, perSecond: 50 };

interface Bucket {
  left: number;
  /** Milliseconds of the monotonic clock at which `left` was true. */
  at: number;
}

const mostBuckets = 10_000;

/** Counts the requests of each client; answers the seconds to wait, or 0 when the request may pass. */
export function createFlood({ burst, perSecond }: FloodOptions, now: () => number = () => performance.now()): (client: string) => number {
  const buckets = new Map<string, Bucket>();
  const refilled = (bucket: Bucket, at: number): number => Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond);

  function forgetTheFull(at: number): void {
    for (const [client, bucket] of buckets) if (refilled(bucket, at) >= burst) buckets.delete(client);
  }

  return (client) => {
    const at = now();
    if (buckets.size >= mostBuckets) forgetTheFull(at);
    const bucket = buckets.get(client) ?? { left: burst, at };
    bucket.left = refilled(bucket, at);
    bucket.at = at;
    buckets.set(client, bucket);
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perSecond));
    bucket.left -= 1;
    return 0;
  };
}
