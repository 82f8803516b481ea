import type { Records } from '../../contract/directions/directions.ts';
import type { DirectionName } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Hold } from '../../swap/halves/lightning/hold/terms.ts';
import type { ServiceContext } from '../context.ts';
import { unwritable, usedHash } from './create.ts';
import type { Patience } from './patience.ts';
import type { Direction } from '../directions/direction.ts';
import { recordOf } from '../record.ts';

/**
 * Waits for the hold invoice of a swap that was opened, and answers the record; a create that was not answered leaves
 * no trace.
 */
export async function answeredByInvoice<D extends DirectionName>(
  context: ServiceContext,
  id: string,
  direction: Direction<D>,
  left: Patience,
): Promise<Records[D] | Refusal> {
  const { runtime, config } = context;
  const settled = await runtime.settled(id, (state) => state !== 'opening', left());
  if (
    settled === 'opening' &&
    runtime.commits.deliver(id, { is: 'abandoned', reason: 'the Lightning node did not answer in time' }) === 'moved'
  )
    return refuse(
      'unavailable',
      `The Lightning node did not answer within ${config.timing.createWaitSeconds} seconds: try again later.`,
    );
  const { at, taken } = holdOf(context, id);
  if (at === 'unopened')
    return taken
      ? usedHash('preimage')
      : refuse('unavailable', 'The Lightning node did not take the invoice: try again with another secret.');
  // Neither its invoice nor its end could be saved: what was told to nobody is given up once there is room.
  if (at === 'opening') return unwritable;
  return recordOf(context, id, direction);
}

function holdOf({ runtime }: ServiceContext, id: string): { readonly at: string | null; readonly taken: boolean } {
  const progress = runtime.workingSet.find(id)?.row.progress as Hold['waiting'] | undefined;
  return { at: progress?.at ?? null, taken: progress?.at === 'unopened' && progress.taken === true };
}
