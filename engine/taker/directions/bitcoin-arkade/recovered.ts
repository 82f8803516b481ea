import { bitcoinArkadeRecord } from '../../../contract/directions/bitcoin-arkade.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { ontoArkade } from '../../restore/onto-arkade.ts';
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
        ...ontoArkade(record, from),
      },
    };
  },
};
