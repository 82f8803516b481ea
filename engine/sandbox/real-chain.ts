import { setTimeout as pause } from 'node:timers/promises';
import type { BitcoinClockPort, ChainTip } from '../legs/onchain/port.ts';
import type { WorldClock } from './world/clock.ts';

/** The clock of a chain that nobody here makes: wall time, and the height and median time past of a real node's tip. */
export interface FollowedClock extends WorldClock {
  stop(): Promise<void>;
}

/** How long the clock may be behind the node. */
const everyMs = 250;

/**
 * Follows a node from the tip given. While the node is away, or has lost its blocks, its last tip stays: only a chain
 * at least as high moves the clock, or one that is lower by no more than a reorg.
 */
export function followChain(chain: BitcoinClockPort, first: ChainTip): FollowedClock {
  const listeners = new Set<() => void>();
  const ending = new AbortController();
  let tip = first;

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
      const next = await chain.tip().catch(() => tip); // Away: the next look tells.
      if (ending.signal.aborted || next.hash === tip.hash || next.height < tip.height - deepestReorg) continue;
      tip = next;
      for (const listener of [...listeners]) listener();
    }
  }
  const following = follow();

  return {
    now: () => Math.floor(Date.now() / 1_000),
    mtp: () => tip.mtp,
    height: () => tip.height,
    tipTime: () => tip.time,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      ending.abort();
      await following;
    },
  };
}

/** A node that comes back with fewer blocks than this below its last tip has lost its chain. */
const deepestReorg = 100;
