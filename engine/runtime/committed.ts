import type { SwapStatus } from '../domain/status.ts';
import type { Queue } from '../legs/leg.ts';
import type { EffectRow } from '../store/effects.ts';
import type { Log } from './log.ts';
import type { Entry } from './working-set.ts';

/** What is told of a commit, once it is durable. */
export interface Committed {
  readonly entry: Entry;
  readonly from: { readonly at: string; readonly status: SwapStatus };
  readonly effects: readonly EffectRow[];
  /** Legs of which everything that was asked for before was dropped; what is running ends by itself, not repeated. */
  readonly dropped: readonly Queue[];
  /** Why a person must look at it, said by this very step. */
  readonly flagged: string | null;
  /** What the swap was flagged for, now or before a restart, is the operator's doing. */
  readonly distrusted: boolean;
}

/** Told of a swap that did not move. */
export function still({ row }: Entry): Omit<Committed, 'entry' | 'distrusted'> {
  return { from: { at: row.progress.at, status: row.status }, effects: [], dropped: [], flagged: null };
}

export function logMove(log: Log, { entry: { row, machine }, from, flagged }: Committed, event: string): void {
  log.info(
    {
      swap: row.id,
      direction: machine.name,
      ...(from.at === '' ? {} : { from: from.at }),
      at: row.progress.at,
      event,
      ...(flagged === null ? {} : { flag: flagged }),
    },
    'swap moved',
  );
}
