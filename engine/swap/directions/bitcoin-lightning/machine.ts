import { locktimeOf } from '../../../legs/onchain/locktime.ts';
import { safeToPayForCoin } from '../../../legs/safety/pay.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { claimOnBitcoin } from '../../halves/bitcoin/claim/half.ts';
import type { OnchainClaim } from '../../halves/bitcoin/claim/terms.ts';
import { pay, type Payment } from '../../halves/lightning/pay.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type BitcoinLightningTerms } from './terms.ts';

/** What the payment hangs on, at the create and at each act. */
function paymentFacts({ sourceAmount, confirmations, htlc, finalCltv, invoiceExpiresAt }: BitcoinLightningTerms) {
  return { sourceAmount, confirmations, refundLocktime: locktimeOf(htlc), finalCltv, invoiceExpiresAt };
}

/** The client pays an HTLC on the Bitcoin chain, we pay its invoice, and what the payment shows claims the coin. */
export const bitcoinLightning = providerOf<BitcoinLightningTerms, OnchainClaim, Payment>({
  name: 'bitcoin-lightning',
  terms: shapeOf(terms),
  claim: claimOnBitcoin,
  fund: pay,
  // As the last look said; what is true when the payment is started, its conditions say.
  judge(t, depth, now) {
    const coin = { amount: t.sourceAmount, depth };
    return safeToPayForCoin({ coin, maxTimeoutHeight: t.maxTimeoutHeight, ...paymentFacts(t) }, now, t.policy);
  },
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.payBefore,
    fundedForPayment: { script: t.htlcScript, outpoint, policy: t.policy, ...paymentFacts(t) },
  }),
  notes: ['payment'],
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: () => null },
});
