import { lightningEvmRecord } from '../../../contract/directions/lightning-evm.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { recoveredToEvm } from '../../evm/recovered.ts';
import { readCreated, type Restorable } from '../../restore/restoring.ts';
import { distrust } from '../../verify.ts';
import type { TakeLightningEvmTerms } from './terms.ts';

export const restorable: Restorable<TakeLightningEvmTerms> = {
  ours: 'client_evm_address',
  async recovered(given, from) {
    const record = readCreated(lightningEvmRecord, given);
    if (isRefusal(record)) return record;
    const onEvm = await recoveredToEvm(given, record, from);
    if (isRefusal(onEvm)) return onEvm;
    const invoice = from.decodeInvoice(record.bolt11_invoice);
    if (isRefusal(invoice)) return distrust('its invoice cannot be read');
    const description = invoice.description ?? '';
    return { ...onEvm, terms: { ...from.agreed, ...onEvm.terms, hash: sha256Of(from.secret), description } };
  },
};
