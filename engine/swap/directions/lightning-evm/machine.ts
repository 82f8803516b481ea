import { safeToLockOnEvmForHeld } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { fundOnEvm } from '../../halves/evm/fund/half.ts';
import type { EvmFund } from '../../halves/evm/fund/terms.ts';
import { claimOnLightning } from '../../halves/lightning/hold/half.ts';
import type { Hold } from '../../halves/lightning/hold/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type LightningEvmTerms } from './terms.ts';

/** What the lock hangs on, at the create and at each act. */
function lockFacts(t: LightningEvmTerms) {
  return { sourceAmount: t.sourceAmount, network: t.network, timelock: lockEnd(t) };
}

/**
 * The client pays a hold invoice, we lock on an EVM chain, and the secret that the client's claim there shows settles
 * the payment.
 */
export const lightningEvm = providerOf<LightningEvmTerms, Hold, EvmFund>({
  name: 'lightning-evm',
  terms: shapeOf(terms),
  claim: claimOnLightning,
  fund: fundOnEvm,
  judge: (t, held, now) => safeToLockOnEvmForHeld({ held, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t) => ({ notAfter: t.lockBefore, hold: { hash: t.hash, policy: t.policy, ...lockFacts(t) } }),
  notes: ['invoice', 'payment'],
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { locktime: lockEnd, script: () => null },
});
