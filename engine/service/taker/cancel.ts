import { seenCoins } from '../refund/seen-coins.ts';
import type { Acted } from '../../contract/owner/swaps.ts';
import { PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { unlessSaved } from '../unsaved.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { TakerProgress } from '../../taker/terms.ts';
import { ownWallet } from './pay.ts';
import { takenBy } from './view.ts';

/**
 * Nobody is asked to pay the swap any more, and nothing is signed for it. It is watched as before: what is paid all the
 * same is asked back, or goes the way of the swap, and either way is not lost.
 */
export async function cancel(
  context: Pick<ServiceContext, 'runtime' | 'networks'>,
  id: string,
): Promise<Acted | Refusal> {
  const { workingSet, commits, ports } = context.runtime;
  const entry = workingSet.find(id);
  const direction = entry === null ? null : takenBy(entry.machine.name);
  if (entry === null || direction === null) return refuse('not-found', 'You have no swap with this id.');
  if (ownWallet(context, id) === 'pays')
    return refuse('forbidden', 'A wallet of this node is paying this swap, or has done so: it cannot be cancelled.');
  const script = takenDirections[direction].lateScript(entry.row.progress as TakerProgress);
  if (script !== null && ports.arkade !== null) {
    try {
      const coins = await ports.arkade.coins([script]);
      commits.deliver(id, seenCoins(coins));
    } catch (cause) {
      // Its watch goes on, and sees what this look could not.
      if (!(cause instanceof PortFailure)) throw cause;
    }
  }
  const delivered = commits.deliver(id, { is: 'cancel.requested' });
  if (delivered !== 'moved')
    return (
      unlessSaved(delivered) ??
      refuse(
        'forbidden',
        'This swap does not wait for a payment any more: something was paid for it, or it is over. What was paid is ' +
          'taken back instead.',
      )
    );
  return { at: workingSet.readable(id)?.row.progress.at ?? 'cancelled' };
}
