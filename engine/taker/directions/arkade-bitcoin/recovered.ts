import { arkadeBitcoinRecord } from '../../../contract/directions/arkade-bitcoin.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { operatorThen } from '../../restore/operator.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import type { TakeArkadeBitcoinTerms } from './terms.ts';

export const restorable: Restorable<TakeArkadeBitcoinTerms> = {
  ours: 'sender_pk',
  async recovered(given, from) {
    const record = readCreated(arkadeBitcoinRecord, given);
    if (isRefusal(record)) return record;
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return amounts;
    return {
      // Where the bitcoin was to go is the provider's word: it goes to our own wallet.
      record: asCreated(given, { target_btc_address: undefined }),
      value: amounts.sourceAmount,
      terms: {
        ...from.agreed,
        ...amounts,
        operator: operatorThen(record, from.operator(), { side: 'source', network: from.agreed.network }),
        hash: sha256Of(from.secret),
      },
    };
  },
};
