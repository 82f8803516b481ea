import { lightningBitcoinRecord } from '../../../contract/directions/lightning-bitcoin.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import { distrust } from '../../verify.ts';
import type { TakeLightningBitcoinTerms } from './terms.ts';

export const restorable: Restorable<TakeLightningBitcoinTerms> = {
  ours: 'btc_user_claim_pk',
  recovered(given, from) {
    const record = readCreated(lightningBitcoinRecord, given);
    if (isRefusal(record)) return Promise.resolve(record);
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return Promise.resolve(amounts);
    const invoice = from.decodeInvoice(record.bolt11_invoice);
    if (isRefusal(invoice)) return Promise.resolve(distrust('its invoice cannot be read'));
    return Promise.resolve({
      // Where the bitcoin was to go is the provider's word: it goes to our own wallet.
      record: asCreated(given, { target_btc_address: undefined }),
      value: amounts.sourceAmount,
      terms: { ...from.agreed, ...amounts, hash: sha256Of(from.secret), description: invoice.description ?? '' },
    });
  },
};
