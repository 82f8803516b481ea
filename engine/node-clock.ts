import { furthest, type Unix } from './domain/time.ts';
import { plausibleWall, type ClockLimits } from './legs/clock-limits.ts';
import { machineClock } from './machine-clock.ts';
import type { Clock } from './runtime/clock.ts';
import type { SandboxClock } from './service/sandbox.ts';

/** What connections go by before the chain's clock is read over them, and after. */
export interface NodeClock {
  readonly wall: () => Unix;
  /** The nearest that can be told to the clock of somebody else. */
  readonly likely: () => Unix;
  /** Null while no chain is read. */
  readonly mtp: () => Unix | null;
  /** From here on with what this clock reads of the chain. */
  follow(chain: Pick<Clock, 'now'>, limits: () => ClockLimits): void;
}

export function createNodeClock(sandbox: SandboxClock | null): NodeClock {
  const wall = (): Unix => sandbox?.wall() ?? machineClock();
  let read: { readonly chain: Pick<Clock, 'now'>; readonly limits: () => ClockLimits } | null = null;
  return {
    wall,
    likely: () => (read === null ? wall() : plausibleWall(read.chain.now(), read.limits())),
    mtp: () => (read === null ? null : furthest(read.chain.now().bitcoin).mtp),
    follow(chain, limits) {
      read = { chain, limits };
    },
  };
}
