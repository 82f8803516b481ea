import { lightningArkadeRecord } from '../../../contract/directions/lightning-arkade.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { ontoArkade } from '../../restore/onto-arkade.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import { distrust } from '../../verify.ts';
import type { TakeLightningArkadeTerms } from './terms.ts';

export const restorable: Restorable<TakeLightningArkadeTerms> = {
  ours: 'receiver_pk',
  async recovered(given, from) {
    const record = readCreated(lightningArkadeRecord, given);
    if (isRefusal(record)) return record;
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return amounts;
    const invoice = from.decodeInvoice(record.bolt11_invoice);
    if (isRefusal(invoice)) return distrust('its invoice cannot be read');
    return {
      record: asCreated(given, { target_arkade_address: from.arkadeAddress }),
      value: amounts.sourceAmount,
      terms: {
        ...from.agreed,
        ...amounts,
        ...ontoArkade(record, from),
        description: invoice.description ?? '',
      },
    };
  },
};
