import { safeToLock } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { claimOnLightning } from '../../halves/lightning/hold/half.ts';
import type { Hold } from '../../halves/lightning/hold/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import type { ArkadeFund } from '../../halves/arkade/fund/terms.ts';
import { terms, type LightningArkadeTerms } from './terms.ts';

/** What the lock hangs on, at the create and at each act. */
function lockFacts({ sourceAmount, vhtlc }: LightningArkadeTerms) {
  return { sourceAmount, vhtlcRefundLocktime: vhtlc.refundLocktime };
}

/**
 * The client pays a hold invoice, we lock a VHTLC, and the preimage of the client's claim there settles the payment.
 */
export const lightningArkade = providerOf<LightningArkadeTerms, Hold, ArkadeFund>({
  name: 'lightning-arkade',
  terms: shapeOf(terms),
  claim: claimOnLightning,
  fund: fundOnArkade,
  judge: (t, held, now) => safeToLock({ held, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t) => ({ notAfter: t.lockBefore, held: { hash: t.hash, policy: t.policy, ...lockFacts(t) } }),
  notes: ['invoice', 'payment'],
  hash160: (t) => t.vhtlc.hash,
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: () => null },
});
