import type { Lane, Side } from './networks/act.ts';
import type { Wallet } from './wallets.ts';

/** Effects that run at once against one network: as many as it likes to be asked, and none of another's. */
const atOnce = 32;
/** Of these, those that begin something: the rest is kept for claims, settlements and refunds (facts/faults.md 52). */
const atOnceBeginning = 24;
/** Beside all of these, those that finish what is safe: claims without end do not keep them waiting. */
const ownFinishing = 4;

interface Line {
  /** Money on its way is taken or given back before anything new begins. */
  readonly ends: string[];
  readonly finishes: string[];
  readonly begins: string[];
  readonly wallets: Map<Wallet, string[]>;
  used: number;
  /** Of these, by what finishes. */
  finishing: number;
}

/**
 * Who runs next. What is ready stands in line at its network; what needs a wallet stands in the wallet's own line and
 * takes no place before that is free, however many wait for it.
 */
export function createSlots(isFree: (wallet: Wallet) => boolean) {
  const lines = new Map<Side, Line>();
  const taken = new Set<Wallet>();

  function lineOf(side: Side): Line {
    const line = lines.get(side) ?? { ends: [], finishes: [], begins: [], wallets: new Map(), used: 0, finishing: 0 };
    lines.set(side, line);
    return line;
  }

  function waitingIn({ side, begins, finishes, wallet }: Lane): string[] {
    const line = lineOf(side);
    if (finishes === true) return line.finishes;
    if (wallet === undefined) return begins ? line.begins : line.ends;
    const waiting = line.wallets.get(wallet) ?? [];
    line.wallets.set(wallet, waiting);
    return waiting;
  }

  /**
   * What was dropped while it stood here stands where it now belongs: taken from here it would keep a place of this
   * network for ever.
   */
  function first(waiting: string[], runs: (queue: string) => Lane | null): { queue: string; lane: Lane } | null {
    for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift()) {
      const lane = runs(queue);
      if (lane !== null && waitingIn(lane) === waiting) return { queue, lane };
    }
    return null;
  }

  function nextOf(line: Line, runs: (queue: string) => Lane | null): { queue: string; lane: Lane } | null {
    const own = line.finishing < ownFinishing ? first(line.finishes, runs) : null;
    if (own !== null) return own;
    const used = line.used - Math.min(line.finishing, ownFinishing);
    if (used >= atOnce) return null;
    const ending = first(line.ends, runs);
    if (ending !== null || used >= atOnceBeginning) return ending;
    const finishing = first(line.finishes, runs);
    if (finishing !== null) return finishing;
    for (const [wallet, waiting] of line.wallets) {
      const spending = taken.has(wallet) || !isFree(wallet) ? null : first(waiting, runs);
      if (spending !== null) return spending;
    }
    return first(line.begins, runs);
  }

  return {
    wait(queue: string, lane: Lane): void {
      waitingIn(lane).push(queue);
    },
    /** Whether money on its way waits for a place. */
    get crowded(): boolean {
      return [...lines.values()].some(({ ends }) => ends.length > 0);
    },
    /** The next that may run, with its place taken. `runs` says by which lane, and null when it should not any more. */
    take(runs: (queue: string) => Lane | null): { readonly queue: string; readonly lane: Lane } | null {
      for (const line of lines.values()) {
        const next = nextOf(line, runs);
        if (next === null) continue;
        line.used += 1;
        if (next.lane.finishes === true) line.finishing += 1;
        if (next.lane.wallet !== undefined) taken.add(next.lane.wallet);
        return next;
      }
      return null;
    },
    leave({ side, finishes, wallet }: Lane): void {
      const line = lineOf(side);
      line.used -= 1;
      if (finishes === true) line.finishing -= 1;
      if (wallet !== undefined) taken.delete(wallet);
    },
  };
}
