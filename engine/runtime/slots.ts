import type { Lane, Side } from './networks/act.ts';
import type { Wallet } from './wallets.ts';

/** Effects that run at once against one network: as many as it likes to be asked, and none of another's. */
const atOnce = 32;
/** Of these, those that begin something: the rest is kept for claims, settlements and refunds (facts/faults.md 52). */
const atOnceBeginning = 24;

interface Line {
  /** Money on its way is taken or given back before anything new begins. */
  readonly ends: string[];
  readonly begins: string[];
  readonly wallets: Map<Wallet, string[]>;
  used: number;
}

/**
 * Who runs next. What is ready stands in line at its network; what needs a wallet stands in the wallet's own line and
 * takes no place before that is free, however many wait for it.
 */
export function createSlots(isFree: (wallet: Wallet) => boolean) {
  const lines = new Map<Side, Line>();
  const taken = new Set<Wallet>();

  function lineOf(side: Side): Line {
    const line = lines.get(side) ?? { ends: [], begins: [], wallets: new Map(), used: 0 };
    lines.set(side, line);
    return line;
  }

  function waitingIn({ side, begins, wallet }: Lane): string[] {
    const line = lineOf(side);
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
    if (line.used >= atOnce) return null;
    const ending = first(line.ends, runs);
    if (ending !== null || line.used >= atOnceBeginning) return ending;
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
    /** The next that may run, with its place taken. `runs` says by which lane, and null when it should not any more. */
    take(runs: (queue: string) => Lane | null): { readonly queue: string; readonly lane: Lane } | null {
      for (const line of lines.values()) {
        const next = nextOf(line, runs);
        if (next === null) continue;
        line.used += 1;
        if (next.lane.wallet !== undefined) taken.add(next.lane.wallet);
        return next;
      }
      return null;
    },
    leave({ side, wallet }: Lane): void {
      lineOf(side).used -= 1;
      if (wallet !== undefined) taken.delete(wallet);
    },
  };
}
