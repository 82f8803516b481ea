import type { LightningEvmRecord } from '../../contract/directions/lightning-evm.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { safeToLockOnEvmForHeld } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnEvm } from '../halves/evm/fund/half.ts';
import { targetTerms, givenLock } from '../halves/evm/fund/terms.ts';
import { targetView } from '../halves/evm/fund/view.ts';
import { claimOnLightning } from '../halves/lightning/hold/half.ts';
import { holdTerms, holdOf } from '../halves/lightning/hold/terms.ts';
import { sourceView } from '../halves/lightning/hold/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { commonInOneFee, type ViewFacts } from '../view.ts';

/**
 * Lightning to EVM. The client pays a hold invoice; once the payment is held we lock a BTC-pegged token, or the native
 * coin, for the client on an EVM chain. The client's claim there shows its secret, and that settles the payment
 * (facts/clients.md 2).
 *
 * Loses money when wrong: a lock for a payment that is not held, or that may go back before the lock is claimed or ours
 * again; a hold invoice cancelled before our refund of the lock is final; a secret seen and not used.
 */
const fields = { ...holdTerms, ...targetTerms };

export const lightningEvm = providerOf({
  name: 'lightning-evm',
  terms: fieldsShape(fields),
  claim: claimOnLightning,
  fund: fundOnEvm,
  judge: (t, held, now) =>
    safeToLockOnEvmForHeld({ held, sourceAmount: t.sourceAmount, ...givenLock(t) }, now, t.policy),
  onlyIf: (t) => ({ notAfter: t.lockBefore, hold: { ...holdOf(t), ...givenLock(t) } }),
  notes: ['invoice', 'payment'],
  unfunded: { locktime: lockEnd, script: () => null },
});
export type LightningEvmTerms = ValueOf<typeof fields>;
export type LightningEvmProgress = ProgressOf<typeof lightningEvm>;

/**
 * The wire record of a lightning-evm swap (facts/clients.md 22).
 */
export function viewLightningEvm(facts: ViewFacts, t: LightningEvmTerms, p: LightningEvmProgress): LightningEvmRecord {
  return {
    ...commonInOneFee(facts, t),
    ...sourceView(t, p),
    ...targetView(t, p),
  };
}
