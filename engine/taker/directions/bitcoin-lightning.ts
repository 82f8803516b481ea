import { bitcoinLightningRecord } from '../../contract/directions/bitcoin-lightning.ts';
import { toHex } from '../../domain/hex.ts';
import { ownHtlc, wrongRefundHeight, wrongSource } from '../paid-htlc.ts';
import { payoutLeg, wrongPayout } from '../payout-invoice.ts';
import { fromBitcoin } from '../sides/bitcoin.ts';
import { toLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { dealt, wrongHash } from '../verify.ts';

/** We pay on the Bitcoin chain, the provider pays an invoice, and takes our bitcoin with the secret that proves it. */
export const takenBitcoinLightning = taken('bitcoin-lightning', bitcoinLightningRecord, {
  ours: 'btc_user_refund_pk',
  price: quotedFor('target'),
  source: fromBitcoin,
  target: toLightning,
  request: (t) => ({
    btc_htlc_script_version: 2,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
    signs_server_claim: true,
  }),
  unread: 'the Bitcoin chain, by whose height our refund is judged, cannot be read now',
  wrong: (record, terms, now) =>
    wrongHash(record, terms) ??
    wrongSource(record, terms) ??
    wrongPayout(record, terms, now) ??
    wrongRefundHeight(record, terms, now),
  deal: (record, terms, now) => dealt(record, ownHtlc(record, terms, now), payoutLeg(terms)),
});
