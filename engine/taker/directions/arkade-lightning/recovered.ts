import { arkadeLightningRecord } from '../../../contract/directions/arkade-lightning.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { invoiceSats } from '../../../legs/lightning/invoice.ts';
import { operatorThen } from '../../restore/operator.ts';
import { amountsIn, asCreated, readCreated, type Restorable } from '../../restore/restoring.ts';
import { distrust } from '../../verify.ts';
import type { TakeArkadeLightningTerms } from './terms.ts';

export const restorable: Restorable<TakeArkadeLightningTerms> = {
  ours: 'sender_pk',
  async recovered(given, from) {
    const record = readCreated(arkadeLightningRecord, given);
    if (isRefusal(record)) return record;
    const amounts = amountsIn(record);
    if (isRefusal(amounts)) return amounts;
    const invoice = from.decodeInvoice(record.client_lightning_invoice);
    if (isRefusal(invoice) || invoice.network !== from.agreed.network)
      return distrust('its invoice cannot be read, or is of another network');
    if (invoiceSats(invoice) !== amounts.targetAmount) return distrust('its invoice asks for another amount');
    return {
      record: asCreated(given),
      value: amounts.sourceAmount,
      terms: {
        ...from.agreed,
        ...amounts,
        operator: operatorThen(record, from.operator(), { side: 'source', network: from.agreed.network }),
        hash: invoice.hash,
        bolt11: invoice.text,
        invoiceExpiresAt: invoice.expiresAt,
      },
    };
  },
};
