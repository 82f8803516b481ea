import { lightningArkadeRecord } from '../../../contract/directions/lightning-arkade.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { sha256Of } from '../../../legs/secret.ts';
import { operatorThen } from '../../restore/operator.ts';
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
        operator: operatorThen(record, from.operator(), { side: 'target', network: from.agreed.network }),
        hash: sha256Of(from.secret),
        targetAddress: from.arkadeAddress,
        description: invoice.description ?? '',
      },
    };
  },
};
