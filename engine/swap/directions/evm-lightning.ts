import type { EvmLightningRecord } from '../../contract/directions/evm-lightning.ts';
import { lockEnd } from '../../legs/evm/timelocks.ts';
import { safeToPayForLock } from '../../legs/safety/pay.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnEvm } from '../halves/evm/claim/half.ts';
import { sourceTerms, type EvmClaim } from '../halves/evm/claim/terms.ts';
import { sourceView } from '../halves/evm/claim/view.ts';
import { targetView } from '../halves/lightning/pay-view.ts';
import { pay, payTerms, type Payment } from '../halves/lightning/pay.ts';
import type { ProviderProgress } from '../provider/direction.ts';
import { providerOf } from '../provider/machine.ts';
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
export type EvmLightningTerms = ValueOf<typeof fields>;
export type EvmLightningProgress = ProviderProgress<EvmClaim, Payment>;

/** The client locks tokens, we pay its invoice, and what the payment reveals claims the lock. */
export const evmLightning = providerOf<EvmLightningTerms, EvmClaim, Payment>({
  name: 'evm-lightning',
  terms: fieldsShape(fields),
  claim: claimOnEvm,
  fund: pay,
  judge(t, depth, now) {
    const { network, confirmations, maxTimeoutHeight, finalCltv, invoiceExpiresAt } = t;
    const refundLocktime = lockEnd(t);
    return safeToPayForLock(
      { network, depth, confirmations, refundLocktime, maxTimeoutHeight, finalCltv, invoiceExpiresAt },
      now,
      t.policy,
    );
  },
  onlyIf(t, { deposit: { lock, txid } }) {
    const { network, contracts, confirmations, agreed, sourceAmount: value, finalCltv, invoiceExpiresAt, policy } = t;
    const { htlc } = contracts;
    return {
      notAfter: t.payBefore,
      deposit: { network, htlc, lock, txid, confirmations, agreed, value, finalCltv, invoiceExpiresAt, policy },
    };
  },
  notes: ['payment', 'refund'],
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { locktime: lockEnd, script: () => null },
});

/** The wire record of an evm-lightning swap (facts/clients.md 22). */
export function viewEvmLightning(facts: ViewFacts, t: EvmLightningTerms, p: EvmLightningProgress): EvmLightningRecord {
  return {
    ...common(facts),
    ...sourceView(t, p),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...targetView(t),
    // Only the preimage proves it, and these states alone are reached with it.
    lightning_payment_settled: p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost',
  };
}
