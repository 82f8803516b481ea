import type { ArkadeLightningRecord } from '../../contract/directions/arkade-lightning.ts';
import { safeToPay } from '../../legs/safety/pay.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import { sourceTerms, agreedCoin, coinOf } from '../halves/arkade/claim/terms.ts';
import { sourceView } from '../halves/arkade/claim/view.ts';
import { targetView } from '../halves/lightning/pay-view.ts';
import { pay, payTerms, payTime } from '../halves/lightning/pay.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Arkade to Lightning. The client funds a VHTLC locked to the payment hash of an invoice; once the coin is good the
 * service pays the invoice, and the preimage that the payment reveals claims the VHTLC (facts/clients.md 2).
 *
 * Loses money when wrong: a payment started for a coin that is short, gone, or expires before it can be claimed; a
 * refund cosigned while the payment may still settle; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms };

export const arkadeLightning = providerOf({
  name: 'arkade-lightning',
  terms: fieldsShape(fields),
  claim: claimOnArkade,
  fund: pay,
  judge: (t, coin, now) =>
    safeToPay({ coin, ...agreedCoin(t), maxTimeoutHeight: t.maxTimeoutHeight, ...payTime(t) }, now, t.policy),
  onlyIf: (t, p) => ({ notAfter: t.payBefore, coin: { ...coinOf(t, p), ...payTime(t) } }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});
export type ArkadeLightningTerms = ValueOf<typeof fields>;
export type ArkadeLightningProgress = ProgressOf<typeof arkadeLightning>;

/** The wire record of an arkade-lightning swap (facts/clients.md 19). */
export function viewArkadeLightning(
  facts: ViewFacts,
  t: ArkadeLightningTerms,
  p: ArkadeLightningProgress,
): ArkadeLightningRecord {
  return {
    ...common(facts, t),
    ...sourceView(t, p),
    arkade_vhtlc_address: t.address,
    ...targetView(t),
  };
}
