import { arkadeLightningRecord } from '../../contract/directions/arkade-lightning.ts';
import { toHex } from '../../domain/hex.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { paidOverLightning } from '../halves/lightning/payout.ts';
import { payoutLeg, wrongPayout } from '../payout-invoice.ts';
import { arkadeFields, payoutFields, satsOrderFields } from '../shape.ts';
import { agreed } from '../sides/agreed.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import type { ArkadeLeg, LightningLeg } from '../terms.ts';
import { verified } from '../verified.ts';
import { dealt, vhtlcLeg, wrongAmounts, wrongFrame, wrongHash, wrongRefundTime, wrongSender } from '../verify.ts';
import { invoiceWindow } from '../window.ts';

const fields = { ...satsOrderFields, ...arkadeFields, ...payoutFields };
export type TakeArkadeLightningTerms = ValueOf<typeof fields>;

/** Where we would send coins, or the sentence for which nobody is shown the address. */
export const verifyArkadeLightning = verified(arkadeLightningRecord, {
  wrong: (record, terms: TakeArkadeLightningTerms, now) =>
    wrongFrame(record, terms, { source: bitcoinOn('Arkade'), target: bitcoinOn('Lightning') }) ??
    wrongAmounts(record, terms) ??
    wrongHash(record, terms) ??
    wrongSender(record, terms) ??
    wrongPayout(record, terms, now) ??
    wrongRefundTime(record, terms, now),
  deal: (record, terms) => dealt(record, vhtlcLeg(record, terms, 'sender'), payoutLeg(terms)),
});

/** We fund a VHTLC, the provider pays an invoice, and takes our coins with the secret that proves it. */
export const takenArkadeLightning = clientOf<TakeArkadeLightningTerms, ArkadeLeg, LightningLeg>({
  secret: 'payee',
  terms: fieldsShape(fields),
  fund: fundOnArkade,
  claim: paidOverLightning,
  ...agreed('arkade-lightning', {
    record: arkadeLightningRecord,
    ours: 'sender_pk',
    price: quotedFor('target'),
    source: fromArkade,
    target: toLightning,
  }),
  request: (t) => ({
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  }),
  verify: verifyArkadeLightning,
  window: invoiceWindow,
});
