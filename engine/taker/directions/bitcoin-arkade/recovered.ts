import { bitcoinArkadeRecord } from '../../../contract/directions/bitcoin-arkade.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { operatorThen } from '../../restore/operator.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import type { TakeBitcoinArkadeTerms } from './terms.ts';

export const restorable: Restorable<TakeBitcoinArkadeTerms> = {
  ours: 'receiver_pk',
  async recovered(given, from) {
    const record = readCreated(bitcoinArkadeRecord, given);
    if (isRefusal(record)) return record;
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return amounts;
    return {
      record: asCreated(given, { target_arkade_address: from.arkadeAddress }),
      value: amounts.sourceAmount,
      terms: {
        ...from.agreed,
        ...amounts,
        operator: operatorThen(record, from.operator(), { side: 'target', network: from.agreed.network }),
        hash: sha256Of(from.secret),
        targetAddress: from.arkadeAddress,
      },
    };
  },
};
