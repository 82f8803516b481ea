import type { ArkadeLightningRecord } from '../../contract/directions/arkade-lightning.ts';
import { safeToPay } from '../../legs/safety/pay.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import { sourceTerms, type ArkadeClaim } from '../halves/arkade/claim/terms.ts';
import { sourceView } from '../halves/arkade/claim/view.ts';
import { targetView } from '../halves/lightning/pay-view.ts';
import { pay, payTerms, type Payment } from '../halves/lightning/pay.ts';
import type { ProviderProgress } from '../provider/direction.ts';
import { providerOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Arkade to Lightning. The client funds a VHTLC locked to the payment hash of an invoice; once the coin is good the
 * service pays the invoice, and the preimage that the payment reveals claims the VHTLC (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a coin that is short, gone, or expires before it can be claimed; a
 * refund cosigned while the payment may still settle; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms };
export type ArkadeLightningTerms = ValueOf<typeof fields>;
export type ArkadeLightningProgress = ProviderProgress<ArkadeClaim, Payment>;

/** What the payment hangs on, at the create and at each act. */
function paymentFacts(t: ArkadeLightningTerms) {
  return {
    sourceAmount: t.sourceAmount,
    refundLocktime: t.vhtlc.refundLocktime,
    finalCltv: t.finalCltv,
    invoiceExpiresAt: t.invoiceExpiresAt,
  };
}

/** The client funds a VHTLC, we pay its invoice, and what the payment reveals claims the VHTLC. */
export const arkadeLightning = providerOf<ArkadeLightningTerms, ArkadeClaim, Payment>({
  name: 'arkade-lightning',
  terms: fieldsShape(fields),
  claim: claimOnArkade,
  fund: pay,
  judge: (t, coin, now) => safeToPay({ coin, maxTimeoutHeight: t.maxTimeoutHeight, ...paymentFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.payBefore,
    coin: { script: t.script, outpoint, policy: t.policy, ...paymentFacts(t) },
  }),
  notes: ['payment', 'refund'],
  hash160: (t) => t.vhtlc.hash,
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});

/** The wire record of an arkade-lightning swap (facts/clients.md 19). */
export function viewArkadeLightning(
  facts: ViewFacts,
  t: ArkadeLightningTerms,
  p: ArkadeLightningProgress,
): ArkadeLightningRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...sourceView(t, p),
    arkade_vhtlc_address: t.address,
    ...targetView(t),
  };
}
