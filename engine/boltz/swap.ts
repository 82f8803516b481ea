import type { Refusal } from '../domain/errors.ts';
import type { Entry } from '../runtime/working-set.ts';
import type { DoorContext } from './context.ts';
import { isId } from './ids.ts';
import { pairOfMachine, type Kind, type Pair } from './pair.ts';
import { unknownSwap } from './refused.ts';

/** A swap of this door. */
export interface DoorSwap {
  readonly id: string;
  readonly pair: Pair;
  readonly entry: Entry;
}

/** By the id that its client has; `kind` where the path says which it is. */
export function findSwap({ context: { runtime } }: DoorContext, id: string, kind?: Kind): DoorSwap | Refusal {
  const swapId = isId(id) ? runtime.store.boltzSwaps.swapOf(id) : null;
  const entry = swapId === null ? null : runtime.workingSet.readable(swapId);
  const pair = entry === null ? null : pairOfMachine(entry.row.machine);
  if (entry === null || pair === null || (kind !== undefined && pair.kind !== kind)) return unknownSwap(id);
  return { id, pair, entry };
}
