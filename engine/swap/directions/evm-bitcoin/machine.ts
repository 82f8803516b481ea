import { safeToFundForLock } from '../../../legs/safety/lock.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import type { EvmClaim } from '../../halves/evm/claim/terms.ts';
import { fundOnBitcoin } from '../../halves/bitcoin/fund/half.ts';
import type { OnchainFund } from '../../halves/bitcoin/fund/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type EvmBitcoinTerms } from './terms.ts';

/**
 * The client locks tokens, we fund an HTLC on the Bitcoin chain, and the secret of the client's claim there claims the
 * lock.
 */
export const evmBitcoin = providerOf<EvmBitcoinTerms, EvmClaim, OnchainFund>({
  name: 'evm-bitcoin',
  terms: shapeOf(terms),
  claim: claimOnEvm,
  fund: fundOnBitcoin,
  judge(t, depth, now) {
    const { network, confirmations, htlc, policy } = t;
    const timelock = lockEnd(t);
    return safeToFundForLock(
      { network, depth, confirmations, timelock, htlcRefundLocktime: htlc.refundLocktime },
      now,
      policy,
    );
  },
  onlyIf(t, { deposit: { lock, txid } }) {
    const { network, contracts, confirmations, agreed, policy } = t;
    const { refundLocktime: htlcRefundLocktime } = t.htlc;
    return {
      notAfter: t.lockBefore,
      escrow: { network, htlc: contracts.htlc, lock, txid, confirmations, agreed, htlcRefundLocktime, policy },
    };
  },
  notes: ['payment', 'refund'],
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { locktime: lockEnd, script: () => null },
});
