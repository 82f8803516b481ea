import { locktimeOf } from '../../../legs/onchain/locktime.ts';
import { safeToLockForCoin } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { claimOnBitcoin } from '../../halves/bitcoin/claim/half.ts';
import type { OnchainClaim } from '../../halves/bitcoin/claim/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import type { ArkadeFund } from '../../halves/arkade/fund/terms.ts';
import { terms, type BitcoinArkadeTerms } from './terms.ts';

/** What the lock hangs on, at the create and at each act. */
function lockFacts({ sourceAmount, confirmations, htlc, vhtlc }: BitcoinArkadeTerms) {
  return {
    ...{ sourceAmount, confirmations },
    refundLocktime: locktimeOf(htlc),
    lockRefundLocktime: vhtlc.refundLocktime,
  };
}

/**
 * The client pays an HTLC on the Bitcoin chain, we lock a VHTLC, and the secret of the client's claim there claims the
 * bitcoin.
 */
export const bitcoinArkade = providerOf<BitcoinArkadeTerms, OnchainClaim, ArkadeFund>({
  name: 'bitcoin-arkade',
  terms: shapeOf(terms),
  claim: claimOnBitcoin,
  fund: fundOnArkade,
  // As the last look said; what is true when the lock is sent, its conditions say.
  judge: (t, depth, now) =>
    safeToLockForCoin({ coin: { amount: t.sourceAmount, depth }, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.lockBefore,
    funded: { script: t.htlcScript, outpoint, policy: t.policy, ...lockFacts(t) },
  }),
  notes: ['payment'],
  hash160: (t) => t.hash,
  unfunded: { locktime: ({ htlc }) => locktimeOf(htlc), script: ({ script }) => script },
});
