import { bitcoinLightningRecord } from '../../../contract/directions/bitcoin-lightning.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { recoveredPayout } from '../../payout-invoice.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import type { TakeBitcoinLightningTerms } from './terms.ts';

export const restorable: Restorable<TakeBitcoinLightningTerms> = {
  ours: 'btc_user_refund_pk',
  recovered(given, from) {
    const record = readCreated(bitcoinLightningRecord, given);
    if (isRefusal(record)) return Promise.resolve(record);
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return Promise.resolve(amounts);
    const payout = recoveredPayout(record, amounts.targetAmount, from);
    if (isRefusal(payout)) return Promise.resolve(payout);
    return Promise.resolve({
      record: asCreated(given),
      value: amounts.sourceAmount,
      terms: { ...from.agreed, ...amounts, ...payout },
    });
  },
};
