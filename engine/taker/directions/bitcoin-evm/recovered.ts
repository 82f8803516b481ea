import { bitcoinEvmRecord } from '../../../contract/directions/bitcoin-evm.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { recoveredToEvm } from '../../evm/recovered.ts';
import { readCreated, type Restorable } from '../../restore/restoring.ts';
import type { TakeBitcoinEvmTerms } from './terms.ts';

/** Our key is in the script alone, which is derived again with it. */
export const restorable: Restorable<TakeBitcoinEvmTerms> = {
  ours: 'client_evm_address',
  async recovered(given, from) {
    const record = readCreated(bitcoinEvmRecord, given);
    if (isRefusal(record)) return record;
    const onEvm = await recoveredToEvm(given, record, from);
    if (isRefusal(onEvm)) return onEvm;
    return { ...onEvm, terms: { ...from.agreed, ...onEvm.terms, hash: sha256Of(from.secret) } };
  },
};
