import { lightningBitcoinRecord } from '../../contract/directions/lightning-bitcoin.ts';
import { toHex } from '../../domain/hex.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { fromLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** Somebody pays the provider's hold invoice, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenLightningBitcoin = taken('lightning-bitcoin', lightningBitcoinRecord, {
  ours: 'btc_user_claim_pk',
  price: quotedFor('source'),
  source: fromLightning('Swap to Bitcoin'),
  target: toBitcoin,
  request: (t) => ({
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  wrong: wrongHash,
});
