import { locktimeOf } from '../../../legs/onchain/locktime.ts';
import { safeToFundForVhtlc } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { claimOnArkade } from '../../halves/arkade/claim/half.ts';
import type { ArkadeClaim } from '../../halves/arkade/claim/terms.ts';
import { fundOnBitcoin } from '../../halves/bitcoin/fund/half.ts';
import type { OnchainFund } from '../../halves/bitcoin/fund/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type ArkadeBitcoinTerms } from './terms.ts';

/** What the funding hangs on, at the create and at each act. */
function fundFacts({ sourceAmount, vhtlc, htlc }: ArkadeBitcoinTerms) {
  return { sourceAmount, refundLocktime: vhtlc.refundLocktime, htlcRefundLocktime: locktimeOf(htlc) };
}

/**
 * The client funds a VHTLC, we fund an HTLC on the Bitcoin chain, and the secret of the client's claim there claims the
 * VHTLC.
 */
export const arkadeBitcoin = providerOf<ArkadeBitcoinTerms, ArkadeClaim, OnchainFund>({
  name: 'arkade-bitcoin',
  terms: shapeOf(terms),
  claim: claimOnArkade,
  fund: fundOnBitcoin,
  judge: (t, coin, now) => safeToFundForVhtlc({ coin, ...fundFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.lockBefore,
    backingForCoin: { script: t.script, outpoint, policy: t.policy, ...fundFacts(t) },
  }),
  notes: ['payment', 'refund'],
  hash160: (t) => t.vhtlc.hash,
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});
