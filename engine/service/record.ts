import type { DirectionName } from '../domain/chain.ts';
import type { Records } from '../contract/directions/directions.ts';
import type { Entry } from '../runtime/working-set.ts';
import type { ViewFacts } from '../swap/view.ts';
import type { ServiceContext } from './context.ts';
import type { Direction } from './directions/direction.ts';

function factsOf({ config }: ServiceContext, { row }: Entry): ViewFacts {
  return { id: row.id, createdAt: row.createdAt, status: row.status, network: config.network };
}

/** The wire record of a swap as it stands; null for a swap that its client was never told of. */
export function viewOf(
  context: ServiceContext,
  entry: Entry,
): { record: Records[DirectionName]; direction: DirectionName } | null {
  const direction = context.directions.of(entry.row.machine);
  const record = direction?.view(factsOf(context, entry), entry.row) ?? null;
  return direction === null || record === null ? null : { record, direction: direction.name };
}

/** The record that a create answers with. */
export function recordOf<D extends DirectionName>(
  context: ServiceContext,
  id: string,
  direction: Direction<D>,
): Records[D] {
  const entry = context.runtime.workingSet.find(id);
  const record = entry === null ? null : direction.view(factsOf(context, entry), entry.row);
  if (record === null) throw new Error(`swap ${id} was opened but has no record`);
  return record;
}
