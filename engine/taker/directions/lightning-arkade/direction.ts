import { toHex } from '../../../domain/hex.ts';
import { clientOf } from '../../client/client.ts';
import { claimOnArkade } from '../../halves/arkade/claim/half.ts';
import { fundOverLightning } from '../../halves/lightning/invoice.ts';
import type { ArkadeLeg, LightningLeg } from '../../terms.ts';
import { order } from './order.ts';
import { restorable } from './recovered.ts';
import { terms, type TakeLightningArkadeTerms } from './terms.ts';
import { verifyLightningArkade } from './verify.ts';

/** We hold the secret, somebody pays the provider's hold invoice, and we claim what the provider locks. */
export const takenLightningArkade = clientOf<TakeLightningArkadeTerms, LightningLeg, ArkadeLeg>({
  direction: 'lightning-arkade',
  source: 'Lightning',
  target: 'Arkade',
  needs: ['arkade', 'bitcoin'],
  secret: 'ours',
  terms,
  fund: fundOverLightning,
  claim: claimOnArkade,
  order,
  request: (t) => ({
    arkade_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    hash_lock: `0x${toHex(t.hash)}`,
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
    source_amount_sats: Number(t.sourceAmount),
    invoice_description: t.description,
  }),
  verify: verifyLightningArkade,
  window: (_, { source, target }) => ({ pay: source.expiresAt, over: target.vhtlc.refundLocktime }),
  restorable,
  neverRefunded:
    'There is nothing to take back: a payment over Lightning goes back by itself unless the coins were claimed.',
});
