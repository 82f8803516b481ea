import { chainIdOf } from '../../domain/chain.ts';
import type { SwapOperation } from '../../contract/routes/route.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';

type EvmOperation = Exclude<SwapOperation, 'refund-arkade' | 'owner'>;

/**
 * What is said of a swap without the lock that an operation is for: the id names no swap, one without an EVM chain, or
 * one whose lock there is the other party's. Each is told apart, with the date that matters to the client. Under /api a
 * wrong direction is a state that forbids, as for the refunds on Arkade (facts/clients.md 26).
 */
export function notOfThisSwap(context: ServiceContext, id: string, operation: EvmOperation): Refusal {
  const { store, workingSet } = context.runtime;
  if (store.swaps.statusOf(id) === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  const row = workingSet.find(id)?.row;
  const direction = row === undefined ? null : context.directions.of(row.machine);
  const is = operation === 'refund-evm' ? 'forbidden' : 'invalid';
  return refuse(
    is,
    (row === undefined || direction === null ? null : whoseLock(direction, row, operation)) ??
      'This swap has no EVM leg: the operation is for swaps from or to an EVM chain.',
  );
}

/** Null where the swap has no lock on an EVM chain. */
function whoseLock(direction: Direction, row: SwapRow, operation: EvmOperation): string | null {
  const ours = direction.claim(row);
  if (ours !== null) {
    const theirs = `The lock of this swap on chain ${chainIdOf(ours.network)} is made by the node`;
    return operation === 'fund-evm'
      ? `${theirs}: its client gives nothing there, and funds the swap on ${direction.source}.`
      : `${theirs}, and goes back to the node from ${ours.lock.timelock} (evm_refund_locktime, unix time) on: its ` +
          `client gave nothing there to take back. ${howBack(direction, row)}`;
  }
  const deposit = direction.deposit(row);
  if (deposit === null) return null;
  const { network, lock } = deposit.terms;
  const theirs =
    `The lock of this swap on chain ${chainIdOf(network)} is made by its client, who can take it back alone from ` +
    `${lock.timelock} (evm_refund_locktime, unix time) on`;
  return direction.target === 'Lightning'
    ? `${theirs}: for it the node pays the invoice, and there is nothing to claim.`
    : `${theirs}: what the client claims is on ${direction.target}.`;
}

function howBack(direction: Direction, row: SwapRow): string {
  const vhtlc = direction.vhtlc(row);
  return vhtlc?.byClient === undefined
    ? `What it gave is on ${direction.source}.`
    : `What it gave on Arkade comes back by /api/swap/${direction.name}/{id}/collab-refund, or alone from ` +
        `${vhtlc.terms.refundLocktime} (vhtlc_refund_locktime, unix time) on.`;
}
