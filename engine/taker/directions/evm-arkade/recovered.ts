import { evmArkadeRecord } from '../../../contract/directions/evm-arkade.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { recoveredFromEvm } from '../../evm/recovered-from.ts';
import { operatorThen } from '../../restore/operator.ts';
import { asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import type { ArkadeLeg } from '../../terms.ts';
import type { TakeEvmArkadeTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmArkadeTerms> = {
  ours: 'receiver_pk',
  async recovered(given, from) {
    const record = readCreated(evmArkadeRecord, given);
    if (isRefusal(record)) return record;
    const source = await recoveredFromEvm(record, from);
    if (isRefusal(source)) return source;
    return {
      record: asCreated(given, { target_arkade_address: from.arkadeAddress }),
      value: source.value,
      terms: {
        ...from.agreed,
        ...source.terms,
        operator: operatorThen(record, from.operator(), { side: 'target', network: from.agreed.network }),
        hash: sha256Of(from.secret),
        targetAddress: from.arkadeAddress,
      },
    };
  },
  // One that was given lets our tokens be locked, though not for as long as this.
  signedUntil: ({ target }) => (target as ArkadeLeg).vhtlc.refundLocktime,
};
