import { z } from 'zod';
import type { Engine } from '../engine/index.ts';

/** What depends on this program going on. */
export interface Stakes {
  /** Swaps that are not over, those of others and our own. */
  readonly open: number;
  readonly atRiskSats: number;
  readonly paused: boolean;
}

const answered = z.object({
  status: z.literal(200),
  body: z.object({ open_swaps: z.int(), at_risk_sats: z.int(), paused: z.unknown() }),
});

/** Null where the node does not say: that is unknown, never nothing. */
export async function readStakes(engine: Engine): Promise<Stakes | null> {
  try {
    const { body } = answered.parse(await engine.dispatch('ownerStatus', {}));
    return { open: body.open_swaps, atRiskSats: body.at_risk_sats, paused: body.paused !== null };
  } catch {
    return null; // A node that is stopping; whoever asks counts on swaps that are open.
  }
}

/** Whether the program may end, restart for an update, or leave its folder without asking: nothing depends on it. */
export function mayEnd(running: boolean, stakes: Stakes | null): boolean {
  return !running || (stakes !== null && stakes.open === 0 && stakes.atRiskSats === 0);
}
