import { lightningArkadeRecord } from '../../contract/directions/lightning-arkade.ts';
import { toHex } from '../../domain/hex.ts';
import { toArkade } from '../sides/arkade.ts';
import { fromLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** We hold the secret, somebody pays the provider's hold invoice, and we claim what the provider locks. */
export const takenLightningArkade = taken('lightning-arkade', lightningArkadeRecord, {
  ours: 'receiver_pk',
  price: quotedFor('source'),
  source: fromLightning('Swap to Arkade'),
  target: toArkade,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  wrong: wrongHash,
});
