import { siteOf } from '../domain/site.ts';

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

/** From so many on, those that are full again are forgotten, once a second at most. */
const mostBuckets = 10_000;
const betweenSweeps = 1_000;
/** Allowances of a client that all IPv6 networks of one site have together (facts/faults.md 332). */
const shareOfASite = 4;

/**
 * Takes from a client's allowance what a request costs; answers the seconds to wait, or 0 when the request may pass.
 */
export type Admit<Client> = (client: Client, cost: number) => number;

export function createFlood(options: FloodOptions, now: () => number = () => performance.now()): Admit<string> {
  const ofClients = createBuckets(options);
  const ofSites = createBuckets({
    burst: shareOfASite * options.burst,
    perSecond: shareOfASite * options.perSecond,
  });
  return (client, cost) => {
    const at = now();
    const site = siteOf(client);
    const wait = Math.max(ofClients.waitOf(client, cost, at), site === null ? 0 : ofSites.waitOf(site, cost, at));
    if (wait > 0) return wait;
    ofClients.take(client, cost, at);
    if (site !== null) ofSites.take(site, cost, at);
    return 0;
  };
}

/** Allowances by name. One that has never been taken from, or is full again, has no row. */
function createBuckets({ burst, perSecond }: FloodOptions) {
  const buckets = new Map<string, Bucket>();
  let swept = Number.NEGATIVE_INFINITY;

  function leftOf(name: string, at: number): number {
    const bucket = buckets.get(name);
    return bucket === undefined ? burst : Math.min(burst, bucket.left + ((at - bucket.at) / 1_000) * perSecond);
  }

  function forgetTheFull(at: number): void {
    if (buckets.size < mostBuckets || at - swept < betweenSweeps) return;
    swept = at;
    for (const name of buckets.keys()) if (leftOf(name, at) >= burst) buckets.delete(name);
  }

  return {
    /** Seconds until there is enough. What costs more than a whole allowance waits for a full one. */
    waitOf(name: string, cost: number, at: number): number {
      const missing = Math.min(cost, burst) - leftOf(name, at);
      return missing > 0 ? Math.max(1, Math.ceil(missing / perSecond)) : 0;
    },
    /** May leave a debt. */
    take(name: string, cost: number, at: number): void {
      forgetTheFull(at);
      buckets.set(name, { left: leftOf(name, at) - cost, at });
    },
  };
}
