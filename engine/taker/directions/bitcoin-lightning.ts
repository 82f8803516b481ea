import { bitcoinLightningRecord } from '../../contract/directions/bitcoin-lightning.ts';
import { toHex } from '../../domain/hex.ts';
import { unix } from '../../domain/time.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { clientOf } from '../client/client.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import type { PaidLeg } from '../halves/bitcoin/fund/terms.ts';
import { paidOverLightning } from '../halves/lightning/payout.ts';
import { ownHtlc, wrongRefundHeight, wrongSource } from '../paid-htlc.ts';
import { payoutLeg, wrongPayout } from '../payout-invoice.ts';
import { payoutFields, satsOrderFields } from '../shape.ts';
import { agreed } from '../sides/agreed.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { toLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import type { LightningLeg } from '../terms.ts';
import { verifiedByChain } from '../verified.ts';
import { dealt, wrongAmounts, wrongFrame, wrongHash } from '../verify.ts';

const fields = { ...satsOrderFields, ...payoutFields };
export type TakeBitcoinLightningTerms = ValueOf<typeof fields>;

/** Where we would send bitcoin, or the sentence for which nobody is shown the address. */
export const verifyBitcoinLightning = verifiedByChain(
  bitcoinLightningRecord,
  'the Bitcoin chain, by whose height our refund is judged, cannot be read now',
  {
    wrong: (record, terms: TakeBitcoinLightningTerms, now) =>
      wrongFrame(record, terms, { source: bitcoinOn('Bitcoin'), target: bitcoinOn('Lightning') }) ??
      wrongAmounts(record, terms) ??
      wrongHash(record, terms) ??
      wrongSource(record, terms) ??
      wrongPayout(record, terms, now) ??
      wrongRefundHeight(record, terms, now),
    deal: (record, terms, now) => dealt(record, ownHtlc(record, terms, now), payoutLeg(terms)),
  },
);

/** We pay on the Bitcoin chain, the provider pays an invoice, and takes our bitcoin with the secret that proves it. */
export const takenBitcoinLightning = clientOf<TakeBitcoinLightningTerms, PaidLeg, LightningLeg>({
  secret: 'payee',
  terms: fieldsShape(fields),
  fund: fundOnBitcoin,
  claim: paidOverLightning,
  ...agreed('bitcoin-lightning', {
    record: bitcoinLightningRecord,
    ours: 'btc_user_refund_pk',
    price: quotedFor('target'),
    source: fromBitcoin,
    target: toLightning,
  }),
  request: (t) => ({
    btc_htlc_script_version: 2,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
    signs_server_claim: true,
  }),
  verify: verifyBitcoinLightning,
  // What is mined when the invoice is over comes back after a day: it is not begun that late.
  window(_, { source: { payBefore }, target: { expiresAt } }) {
    const pay = unix(Math.min(payBefore, expiresAt));
    return { pay, over: pay };
  },
});
