import { safeToLockOnEvmForCoin } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { claimOnBitcoin } from '../../halves/bitcoin/claim/half.ts';
import type { OnchainClaim } from '../../halves/bitcoin/claim/terms.ts';
import { fundOnEvm } from '../../halves/evm/fund/half.ts';
import type { EvmFund } from '../../halves/evm/fund/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type BitcoinEvmTerms } from './terms.ts';

/** What the lock hangs on, at the create and at each act. */
function lockFacts(t: BitcoinEvmTerms) {
  const { sourceAmount, confirmations, htlc, network } = t;
  return { sourceAmount, confirmations, refundLocktime: htlc.refundLocktime, network, timelock: lockEnd(t) };
}

/**
 * The client pays an HTLC on the Bitcoin chain, we lock on an EVM chain, and the secret that the client's claim there
 * shows claims the bitcoin.
 */
export const bitcoinEvm = providerOf<BitcoinEvmTerms, OnchainClaim, EvmFund>({
  name: 'bitcoin-evm',
  terms: shapeOf(terms),
  claim: claimOnBitcoin,
  fund: fundOnEvm,
  // As the last look said; what is true when the lock is sent, its conditions say.
  judge: (t, depth, now) =>
    safeToLockOnEvmForCoin({ coin: { amount: t.sourceAmount, depth }, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.lockBefore,
    fundedForLock: { script: t.htlcScript, outpoint, policy: t.policy, ...lockFacts(t) },
  }),
  notes: [],
  hash160: (t) => t.htlc.hash,
  unfunded: { locktime: ({ htlc }) => htlc.refundLocktime, script: () => null },
});
