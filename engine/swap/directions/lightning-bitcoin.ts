import type { LightningBitcoinRecord } from '../../contract/directions/lightning-bitcoin.ts';
import { locktimeOf } from '../../legs/onchain/locktime.ts';
import { musigHtlcTerms } from '../../legs/onchain/shape.ts';
import { safeToFundForHeld } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnBitcoin } from '../halves/bitcoin/fund/half.ts';
import { targetTerms } from '../halves/bitcoin/fund/terms.ts';
import { targetView } from '../halves/bitcoin/fund/view.ts';
import { claimOnLightning } from '../halves/lightning/hold/half.ts';
import { holdTerms, holdOf } from '../halves/lightning/hold/terms.ts';
import { sourceView } from '../halves/lightning/hold/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Lightning to Bitcoin. The client pays a hold invoice; once the payment is held the service funds an HTLC of the same
 * secret on the Bitcoin chain. The client's claim of it shows the secret, which settles the payment.
 *
 * Loses money when wrong: a funding for a payment that is not held, or that may go back before our coin is claimed or
 * ours again; a hold invoice cancelled before our refund is final; a secret seen and not used; a payment settled by a
 * claim that took nothing of ours.
 */
const fields = { ...holdTerms, ...targetTerms, htlc: musigHtlcTerms };

export const lightningBitcoin = providerOf({
  name: 'lightning-bitcoin',
  terms: fieldsShape(fields),
  claim: claimOnLightning,
  fund: fundOnBitcoin,
  judge: (t, held, now) =>
    safeToFundForHeld({ held, sourceAmount: t.sourceAmount, htlcRefundLocktime: locktimeOf(t.htlc) }, now, t.policy),
  onlyIf: (t) => ({ notAfter: t.lockBefore, heldForCoin: { ...holdOf(t), htlcRefundLocktime: locktimeOf(t.htlc) } }),
  notes: ['invoice', 'payment'],
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: () => null },
});
export type LightningBitcoinTerms = ValueOf<typeof fields>;
export type LightningBitcoinProgress = ProgressOf<typeof lightningBitcoin>;

/** The wire record of a lightning-bitcoin swap. */
export function viewLightningBitcoin(
  facts: ViewFacts,
  t: LightningBitcoinTerms,
  p: LightningBitcoinProgress,
): LightningBitcoinRecord {
  return {
    ...common(facts, t),
    ...sourceView(t, p),
    ...targetView(t, p),
  };
}
