import { bitcoinLightningRecord } from '../../contract/directions/bitcoin-lightning.ts';
import { toHex } from '../../domain/hex.ts';
import { fromBitcoinByHeight } from '../sides/bitcoin.ts';
import { toLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** We pay on the Bitcoin chain, the provider pays an invoice, and takes our bitcoin with the secret that proves it. */
export const takenBitcoinLightning = taken('bitcoin-lightning', bitcoinLightningRecord, {
  ours: 'btc_user_refund_pk',
  price: quotedFor('target'),
  source: fromBitcoinByHeight,
  target: toLightning,
  request: (t) => ({
    btc_htlc_script_version: 2,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
    signs_server_claim: true,
  }),
  wrong: wrongHash,
});
