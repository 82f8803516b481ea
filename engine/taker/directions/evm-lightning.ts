import { evmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, sats, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { fromEvm, requestFromEvm } from '../evm/order-from.ts';
import { fromEvmFields } from '../evm/shape.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { lockOf, peggedInfo, wrongPrice, wrongRefundTime } from '../evm/verify.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { paidOverLightning } from '../halves/lightning/payout.ts';
import { payoutLeg, wrongPayout } from '../payout-invoice.ts';
import { orderFields, payoutFields } from '../shape.ts';
import { agreed, inPrice } from '../sides/agreed.ts';
import { toLightning } from '../sides/lightning.ts';
import type { LightningLeg } from '../terms.ts';
import { verified } from '../verified.ts';
import { dealt, objection, wrongFrame, wrongHash } from '../verify.ts';
import { invoiceWindow } from '../window.ts';

const fields = { ...orderFields, ...fromEvmFields, ...payoutFields, targetAmount: sats };
export type TakeEvmLightningTerms = ValueOf<typeof fields>;

/** What we would lock, or the sentence for which nothing is signed. */
export const verifyEvmLightning = verified(evmLightningRecord, {
  wrong: (record, terms: TakeEvmLightningTerms, now) =>
    wrongFrame(record, terms, { source: peggedInfo(terms), target: bitcoinOn('Lightning') }) ??
    wrongPrice(record, terms) ??
    wrongHash(record, terms) ??
    wrongPayout(record, terms, now) ??
    objection(!record.lightning_payment_settled, 'it says that the invoice is paid although nothing was locked') ??
    wrongRefundTime(record, terms, now),
  deal: (record, terms) => dealt(record, lockOf(record, terms), payoutLeg(terms)),
});

/** Tokens of ours are locked by our signature, and the provider pays an invoice for them. */
export const takenEvmLightning = clientOf<TakeEvmLightningTerms, EvmLeg, LightningLeg>({
  secret: 'payee',
  terms: fieldsShape(fields),
  fund: fundOnEvm,
  claim: paidOverLightning,
  ...agreed('evm-lightning', {
    record: evmLightningRecord,
    ours: 'client_evm_address',
    price: fromEvm,
    source: inPrice,
    target: toLightning,
  }),
  request: (t) => ({ lightning_invoice: t.bolt11, ...requestFromEvm(t) }),
  verify: verifyEvmLightning,
  window: invoiceWindow,
});
