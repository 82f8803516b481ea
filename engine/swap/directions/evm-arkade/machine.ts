import { safeToFundForLock } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { fundOnArkade } from '../../halves/arkade/fund/half.ts';
import type { ArkadeFund } from '../../halves/arkade/fund/terms.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import type { EvmClaim } from '../../halves/evm/claim/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type EvmArkadeTerms } from './terms.ts';

/** The client locks tokens, we lock a VHTLC, and the secret of the client's claim there claims the lock. */
export const evmArkade = providerOf<EvmArkadeTerms, EvmClaim, ArkadeFund>({
  name: 'evm-arkade',
  terms: shapeOf(terms),
  claim: claimOnEvm,
  fund: fundOnArkade,
  judge(t, depth, now) {
    const { network, confirmations, vhtlc, policy } = t;
    const { refundLocktime: htlcRefundLocktime } = vhtlc;
    return safeToFundForLock({ network, depth, confirmations, timelock: lockEnd(t), htlcRefundLocktime }, now, policy);
  },
  onlyIf(t, { deposit: { lock, txid } }) {
    const { network, contracts, confirmations, agreed, policy } = t;
    const { refundLocktime: htlcRefundLocktime } = t.vhtlc;
    return {
      notAfter: t.lockBefore,
      escrow: { network, htlc: contracts.htlc, lock, txid, confirmations, agreed, htlcRefundLocktime, policy },
    };
  },
  notes: ['payment', 'refund'],
  hash160: (t) => t.vhtlc.hash,
  unfunded: { locktime: lockEnd, script: () => null },
});
