import type { Records } from '../../contract/directions/directions.ts';
import type { DirectionName } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Hold } from '../../swap/halves/lightning/hold/terms.ts';
import type { ServiceContext } from '../context.ts';
import { usedHash } from './create.ts';
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
): Promise<Records[D] | Refusal> {
  const { runtime, config } = context;
  const at = await runtime.settled(id, (state) => state !== 'opening', config.timing.createWaitSeconds * 1_000);
  if (at === 'unopened')
    return wasTaken(context, id)
      ? usedHash('preimage')
      : refuse('unavailable', 'The Lightning node did not take the invoice: try again with another secret.');
  if (
    at === 'opening' &&
    runtime.commits.deliver(id, { is: 'abandoned', reason: 'the Lightning node did not answer in time' }) === 'moved'
  ) {
    return refuse(
      'unavailable',
      `The Lightning node did not answer within ${config.timing.createWaitSeconds} seconds: try again later.`,
    );
  }
  return recordOf(context, id, direction);
}

function wasTaken({ runtime }: ServiceContext, id: string): boolean {
  const progress = runtime.workingSet.find(id)?.row.progress as Hold['waiting'] | undefined;
  return progress?.at === 'unopened' && progress.taken === true;
}
