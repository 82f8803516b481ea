import type { EvmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { safeToPayForLock } from '../../legs/safety/pay.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { sourceTerms, agreedLock, lockOf } from '../halves/evm/claim/terms.ts';
import { sourceView } from '../halves/evm/claim/view.ts';
import { targetView } from '../halves/lightning/pay-view.ts';
import { pay, payTerms, payTime } from '../halves/lightning/pay.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * EVM to Lightning. The client locks a BTC-pegged token to the payment hash of an invoice, by itself or by a signature
 * that we relay; once the lock is buried the service pays the invoice, and the preimage that the payment reveals claims
 * the lock (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a lock that is short, shallow, gone, or refundable before it can be
 * claimed; a refund signed while the payment may still settle; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms };

export const evmLightning = providerOf({
  name: 'evm-lightning',
  terms: fieldsShape(fields),
  claim: claimOnEvm,
  fund: pay,
  judge(t, depth, now) {
    const { timelock: refundLocktime, ...lock } = agreedLock(t, depth);
    const { maxTimeoutHeight, policy } = t;
    return safeToPayForLock({ ...lock, refundLocktime, maxTimeoutHeight, ...payTime(t) }, now, policy);
  },
  onlyIf: (t, p) => ({ notAfter: t.payBefore, deposit: { ...lockOf(t, p), ...payTime(t) } }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: lockEnd, script: () => null },
});
export type EvmLightningTerms = ValueOf<typeof fields>;
export type EvmLightningProgress = ProgressOf<typeof evmLightning>;

/** The wire record of an evm-lightning swap (facts/clients.md 22). */
export function viewEvmLightning(facts: ViewFacts, t: EvmLightningTerms, p: EvmLightningProgress): EvmLightningRecord {
  return {
    ...common(facts, t),
    ...sourceView(t, p),
    ...targetView(t),
    // Only the preimage proves it, and these states alone are reached with it.
    lightning_payment_settled: p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost',
  };
}
