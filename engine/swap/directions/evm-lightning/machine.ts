import { shapeOf } from '../../../legs/shape.ts';
import { safeToPayForLock } from '../../../legs/safety/pay.ts';
import { hash160OfSha256 } from '../../../legs/secret.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { claimOnEvm } from '../../halves/evm/claim/half.ts';
import type { EvmClaim } from '../../halves/evm/claim/terms.ts';
import { pay, type Payment } from '../../halves/lightning/pay.ts';
import { providerOf } from '../../provider/machine.ts';
import { terms, type EvmLightningTerms } from './terms.ts';

/** The client locks tokens, we pay its invoice, and what the payment reveals claims the lock. */
export const evmLightning = providerOf<EvmLightningTerms, EvmClaim, Payment>({
  name: 'evm-lightning',
  terms: shapeOf(terms),
  claim: claimOnEvm,
  fund: pay,
  judge(t, depth, now) {
    const { network, confirmations, maxTimeoutHeight, finalCltv, invoiceExpiresAt } = t;
    const refundLocktime = lockEnd(t);
    return safeToPayForLock(
      { network, depth, confirmations, refundLocktime, maxTimeoutHeight, finalCltv, invoiceExpiresAt },
      now,
      t.policy,
    );
  },
  onlyIf(t, { deposit: { lock, txid } }) {
    const { network, contracts, confirmations, agreed, finalCltv, invoiceExpiresAt, policy } = t;
    const { htlc } = contracts;
    return {
      notAfter: t.payBefore,
      deposit: { network, htlc, lock, txid, confirmations, agreed, finalCltv, invoiceExpiresAt, policy },
    };
  },
  notes: ['payment', 'refund'],
  hash160: (t) => hash160OfSha256(t.hash),
  unfunded: { locktime: lockEnd, script: () => null },
});
