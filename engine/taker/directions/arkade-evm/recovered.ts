import { arkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { recoveredToEvm } from '../../evm/recovered.ts';
import { operatorThen } from '../../restore/operator.ts';
import { readCreated, type Restorable } from '../../restore/restoring.ts';
import type { TakeArkadeEvmTerms } from './terms.ts';

export const restorable: Restorable<TakeArkadeEvmTerms> = {
  ours: 'sender_pk',
  async recovered(given, from) {
    const record = readCreated(arkadeEvmRecord, given);
    if (isRefusal(record)) return record;
    const onEvm = await recoveredToEvm(given, record, from);
    if (isRefusal(onEvm)) return onEvm;
    return {
      ...onEvm,
      terms: {
        ...from.agreed,
        ...onEvm.terms,
        operator: operatorThen(record, from.operator(), { side: 'source', network: from.agreed.network }),
        hash: sha256Of(from.secret),
      },
    };
  },
};
