import { arkadeLightningRecord } from '../../../contract/directions/arkade-lightning.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { recoveredPayout } from '../../payout-invoice.ts';
import { operatorThen } from '../../restore/operator.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import type { TakeArkadeLightningTerms } from './terms.ts';

export const restorable: Restorable<TakeArkadeLightningTerms> = {
  ours: 'sender_pk',
  async recovered(given, from) {
    const record = readCreated(arkadeLightningRecord, given);
    if (isRefusal(record)) return record;
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return amounts;
    const payout = recoveredPayout(record, amounts.targetAmount, from);
    if (isRefusal(payout)) return payout;
    return {
      record: asCreated(given),
      value: amounts.sourceAmount,
      terms: {
        ...from.agreed,
        ...amounts,
        ...payout,
        operator: operatorThen(record, from.operator(), { side: 'source', network: from.agreed.network }),
      },
    };
  },
};
