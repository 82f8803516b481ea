import { arkadeBitcoinRecord } from '../../contract/directions/arkade-bitcoin.ts';
import { toHex } from '../../domain/hex.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toBitcoin } from '../sides/bitcoin.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** We fund a VHTLC, the provider pays on the Bitcoin chain, and we claim with our secret. */
export const takenArkadeBitcoin = taken('arkade-bitcoin', arkadeBitcoinRecord, {
  ours: 'sender_pk',
  price: quotedFor('target'),
  source: fromArkade,
  target: toBitcoin,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 2,
    claim_pk: toHex(t.key),
    refund_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    user_id: t.userId,
    target_amount_sats: Number(t.targetAmount),
  }),
  wrong: wrongHash,
});
