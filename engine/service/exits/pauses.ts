import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';

/**
 * Looks at which an operator shows something that brings no coin to the chain, before a person is told: its lists lag
 * behind.
 */
export const oddLooks = 3;
/**
 * Milliseconds between two looks at one whose way is not there, the first and the longest; and how many such are
 * remembered.
 */
const shortestPauseMs = 2_000;
const longestPauseMs = 600_000;
const mostPostponed = 10_000;
/** The first pause of a coin that waits for the chain alone: a block ends it, and what brings none is a slow timer. */
const forBlockMs = 60_000;
/** Roots that are asked for at one tip in one look. */
const mostRoots = 200;

/** Milliseconds for which claims that wait for a place keep what is not urgent from a look. */
const longestWayMs = 60_000;

interface Pause {
  readonly times: number;
  readonly notBefore: number;
  /** Of a commitment that the chain did not show, and the tip at which it was asked for. */
  readonly root?: Outpoint;
  readonly tip?: string;
}

export function pauseAfter(times: number, longestMs: number): number {
  return times < oddLooks ? 0 : Math.min(longestMs, shortestPauseMs * 2 ** (times - oddLooks));
}

/** The second look is as soon as any other's: a mempool may have it by then. */
function forBlockAfter(times: number, isUrgent: boolean): number {
  if (isUrgent) return pauseAfter(times, longestPauseMs);
  return times < 2 ? 0 : Math.min(longestPauseMs, forBlockMs * 2 ** (times - 2));
}

/** Commitments that were not asked for at this tip, and the coins that hang on each. */
function waitingFor(later: ReadonlyMap<string, Pause>, tip: string): ReadonlyMap<Txid, readonly string[]> {
  const waiting = new Map<Txid, string[]>();
  for (const [key, { root, tip: last }] of later) {
    if (root === undefined || last === tip) continue;
    const keys = waiting.get(root.txid);
    if (keys !== undefined) keys.push(key);
    else if (waiting.size < mostRoots) waiting.set(root.txid, [key]);
  }
  return waiting;
}

/**
 * When a coin whose way is not there to be read is asked for again: less and less often, and where only the chain lacks
 * what it hangs on, once a block holds that.
 */
export function createExitPauses() {
  const later = new Map<string, Pause>();

  function put(coin: Outpoint, pause: (times: number) => Omit<Pause, 'times'>): void {
    const key = outpointKey(coin);
    const times = (later.get(key)?.times ?? 0) + 1;
    if (later.size >= mostPostponed) later.clear();
    later.set(key, { times, ...pause(times) });
  }

  return {
    isDue: (coin: Outpoint): boolean => (later.get(outpointKey(coin))?.notBefore ?? 0) <= performance.now(),
    forget: (coin: Outpoint): boolean => later.delete(outpointKey(coin)),
    postpone(coin: Outpoint): void {
      put(coin, (times) => ({ notBefore: performance.now() + pauseAfter(times, longestPauseMs) }));
    },
    /**
     * All of its way was shown, and `tip` is that of a chain without this root of it. `isUrgent`: it is asked for as
     * often as any other between two blocks too.
     */
    untilShown(coin: Outpoint, { root, tip, isUrgent }: { root: Outpoint; tip: string; isUrgent: boolean }): void {
      put(coin, (times) => ({ notBefore: performance.now() + forBlockAfter(times, isUrgent), root, tip }));
    },
    /**
     * A new tip may hold what coins wait for: each such transaction is asked for once, whatever hangs on it. Where the
     * chain gives no answer the next look asks.
     */
    async onTip(tip: string, isShown: (txid: Txid) => Promise<boolean>): Promise<void> {
      for (const [txid, keys] of waitingFor(later, tip)) {
        const shown = await isShown(txid).catch(() => null);
        if (shown === null) return;
        for (const key of keys) {
          const pause = later.get(key);
          if (pause?.root?.txid === txid)
            later.set(key, shown ? { times: pause.times, notBefore: 0 } : { ...pause, tip });
        }
      }
    },
  };
}

export type ExitPauses = ReturnType<typeof createExitPauses>;

/** Whether a look that begins now makes way for claims: while they wait for a place, but for one look in a minute. */
export function createMakingWay(isCrowded: () => boolean): () => boolean {
  let since: number | null = null;
  return () => {
    const now = performance.now();
    const isOver = since !== null && now - since >= longestWayMs;
    since = isCrowded() ? (isOver ? now : (since ?? now)) : null;
    return since !== null && !isOver;
  };
}
