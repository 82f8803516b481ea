import { locktimeOf } from '../../../legs/onchain/locktime.ts';
import { safeToFundForHeld } from '../../../legs/safety/lock.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { fundOnBitcoin } from '../../halves/bitcoin/fund/half.ts';
import type { OnchainFund } from '../../halves/bitcoin/fund/terms.ts';
import { claimOnLightning } from '../../halves/lightning/hold/half.ts';
import type { Hold } from '../../halves/lightning/hold/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type LightningBitcoinTerms } from './terms.ts';

/** What the funding hangs on, at the create and at each act. */
function fundFacts({ sourceAmount, htlc }: LightningBitcoinTerms) {
  return { sourceAmount, htlcRefundLocktime: locktimeOf(htlc) };
}

/**
 * The client pays a hold invoice, we fund an HTLC on the Bitcoin chain, and the secret of the client's claim there
 * settles the payment.
 */
export const lightningBitcoin = providerOf<LightningBitcoinTerms, Hold, OnchainFund>({
  name: 'lightning-bitcoin',
  terms: shapeOf(terms),
  claim: claimOnLightning,
  fund: fundOnBitcoin,
  judge: (t, held, now) => safeToFundForHeld({ held, ...fundFacts(t) }, now, t.policy),
  onlyIf: (t) => ({ notAfter: t.lockBefore, heldForCoin: { hash: t.hash, policy: t.policy, ...fundFacts(t) } }),
  notes: ['invoice', 'payment'],
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: () => null },
});
