import { evmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { isRefusal } from '../../../domain/errors.ts';
import { after, hour } from '../../../domain/time.ts';
import { invoiceSats } from '../../../legs/lightning/invoice.ts';
import { asCreated, readCreated, satsIn, type Restorable } from '../../restore/restoring.ts';
import type { LightningLeg } from '../../terms.ts';
import { distrust } from '../../verify.ts';
import type { TakeEvmLightningTerms } from './terms.ts';

export const restorable: Restorable<TakeEvmLightningTerms> = {
  ours: 'client_evm_address',
  async recovered(given, from) {
    const unsettled = { lightning_payment_settled: false };
    const record = readCreated(evmLightningRecord, asCreated(given, unsettled));
    if (isRefusal(record)) return record;
    const targetAmount = satsIn(record.target_amount);
    if (isRefusal(targetAmount)) return targetAmount;
    if (!/^\d{1,40}$/.test(record.source_amount)) return distrust('its amounts are more than there is');
    const invoice = from.decodeInvoice(record.client_lightning_invoice);
    if (isRefusal(invoice) || invoice.network !== from.agreed.network)
      return distrust('its invoice cannot be read, or is of another network');
    if (invoiceSats(invoice) !== targetAmount) return distrust('its invoice asks for another amount');
    const chain = await from.evm(record.evm_chain_id, record.client_evm_address, targetAmount);
    if (isRefusal(chain)) return chain;
    return {
      record: asCreated(given, unsettled),
      value: targetAmount,
      terms: {
        ...from.agreed,
        ...chain,
        gasless: record.gasless,
        hash: invoice.hash,
        sourceAmount: BigInt(record.source_amount),
        targetAmount,
        bolt11: invoice.text,
        invoiceExpiresAt: invoice.expiresAt,
      },
    };
  },
  // One that was given lets our tokens be locked for a while after the invoice.
  signedUntil: ({ target }) => after((target as LightningLeg).expiresAt, hour),
};
