import type { Sats } from '../../../domain/money.ts';
import { feeUp } from '../../../legs/onchain/size.ts';
import { bytesOf } from '../../../quote/gas.ts';
import { refundToCome } from '../../../store/outlays.ts';
import type { Store } from '../../../store/store.ts';
import type { OnchainContext } from './context.ts';

type Noted = (store: Pick<Store, 'outlays'>, now: number) => void;

const network = 'bitcoin';

/**
 * What the latest transaction of a purpose pays for a client before a fee is ours: of those that replace each other one
 * is mined.
 */
export function noteSpent(
  place: 'fund' | 'refund' | 'push',
  amount: Sats,
  { unpaid, row: { subject: swap } }: Pick<OnchainContext, 'unpaid' | 'row'>,
): Noted {
  return (store, now) => {
    if (place === 'refund') store.outlays.drop({ swap, network, place: refundToCome });
    unpaid.note({ swap, network, place, amount }, store, now);
  };
}

/** A funding counts with the refund that may have to follow it. */
export function noteFunding(
  { fee, rate }: { readonly fee: Sats; readonly rate: number },
  context: Pick<OnchainContext, 'unpaid' | 'row'>,
): Noted {
  const { unpaid, row } = context;
  const amount = feeUp(bytesOf.refund, rate);
  return (store, now) => {
    noteSpent('fund', fee, context)(store, now);
    unpaid.note({ swap: row.subject, network, place: refundToCome, amount }, store, now);
  };
}
