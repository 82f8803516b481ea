import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { paidOverLightning } from '../../halves/lightning/payout.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import { invoiceWindow } from '../../window.ts';
import type { ArkadeLeg, LightningLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeArkadeLightningTerms } from './terms.ts';
import { verifyArkadeLightning } from './verify.ts';

/** We fund a VHTLC, the provider pays an invoice, and takes our coins with the secret that proves it. */
export const takenArkadeLightning = clientOf<TakeArkadeLightningTerms, ArkadeLeg, LightningLeg>({
  direction: 'arkade-lightning',
  source: 'Arkade',
  target: 'Lightning',
  needs: ['arkade', 'bitcoin'],
  secret: 'payee',
  terms,
  fund: fundOnArkade,
  claim: paidOverLightning,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  }),
  verify: verifyArkadeLightning,
  window: invoiceWindow,
  restorable,
  neverRefunded: null,
});
