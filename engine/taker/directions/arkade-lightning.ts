import { arkadeLightningRecord } from '../../contract/directions/arkade-lightning.ts';
import { toHex } from '../../domain/hex.ts';
import { fromArkade } from '../sides/arkade.ts';
import { toLightning } from '../sides/lightning.ts';
import { quotedFor } from '../sides/quoted.ts';
import { taken } from '../taken.ts';
import { wrongHash } from '../verify.ts';

/** We fund a VHTLC, the provider pays an invoice, and takes our coins with the secret that proves it. */
export const takenArkadeLightning = taken('arkade-lightning', arkadeLightningRecord, {
  ours: 'sender_pk',
  price: quotedFor('target'),
  source: fromArkade,
  target: toLightning,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  }),
  wrong: wrongHash,
});
