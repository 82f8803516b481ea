import type { BitcoinLightningRecord } from '../../contract/directions/bitcoin-lightning.ts';
import { locktimeOf } from '../../legs/onchain/locktime.ts';
import { musigHtlcTerms } from '../../legs/onchain/shape.ts';
import { safeToPayForCoin } from '../../legs/safety/pay.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { claimOnBitcoin } from '../halves/bitcoin/claim/half.ts';
import { sourceTerms, agreedCoin, coinOf } from '../halves/bitcoin/claim/terms.ts';
import { sourceViewByHeight } from '../halves/bitcoin/claim/view.ts';
import { targetView } from '../halves/lightning/pay-view.ts';
import { pay, payTerms, payTime } from '../halves/lightning/pay.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Bitcoin to Lightning. The client pays an HTLC on the Bitcoin chain that is locked to the payment hash of an invoice;
 * once the coin is deep enough the service pays the invoice, and the secret that the payment shows claims the coin.
 *
 * Loses money when wrong: a payment started for a coin that is in no block, holds too little, or is the client's again
 * before the payment is surely over; a claim given up after the payment settled.
 */
const fields = { ...sourceTerms, ...payTerms, htlc: musigHtlcTerms };

export const bitcoinLightning = providerOf({
  name: 'bitcoin-lightning',
  terms: fieldsShape(fields),
  claim: claimOnBitcoin,
  fund: pay,
  // As the last look said; what is true when the payment is started, its conditions say.
  judge: (t, depth, now) =>
    safeToPayForCoin({ ...agreedCoin(t, depth), maxTimeoutHeight: t.maxTimeoutHeight, ...payTime(t) }, now, t.policy),
  onlyIf: (t, p) => ({ notAfter: t.payBefore, fundedForPayment: { ...coinOf(t, p), ...payTime(t) } }),
  notes: ['payment', 'refund'],
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: () => null },
});
export type BitcoinLightningTerms = ValueOf<typeof fields>;
export type BitcoinLightningProgress = ProgressOf<typeof bitcoinLightning>;

/** The wire record of a bitcoin-lightning swap. */
export function viewBitcoinLightning(
  facts: ViewFacts,
  t: BitcoinLightningTerms,
  p: BitcoinLightningProgress,
): BitcoinLightningRecord {
  return {
    ...common(facts, t),
    ...targetView(t),
    ...sourceViewByHeight(t, p),
  };
}
