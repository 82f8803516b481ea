import { shapeOf } from '../../../legs/shape.ts';
import { safeToPay } from '../../../legs/safety/pay.ts';
import { pay, type Payment } from '../../halves/lightning/pay.ts';
import { providerOf } from '../../provider/machine.ts';
import { claimOnArkade } from '../../halves/arkade/claim/half.ts';
import type { ArkadeClaim } from '../../halves/arkade/claim/terms.ts';
import { terms, type ArkadeLightningTerms } from './terms.ts';

/** What the payment hangs on, at the create and at each act. */
function paymentFacts(t: ArkadeLightningTerms) {
  return {
    sourceAmount: t.sourceAmount,
    refundLocktime: t.vhtlc.refundLocktime,
    finalCltv: t.finalCltv,
    invoiceExpiresAt: t.invoiceExpiresAt,
  };
}

/** The client funds a VHTLC, we pay its invoice, and what the payment reveals claims the VHTLC. */
export const arkadeLightning = providerOf<ArkadeLightningTerms, ArkadeClaim, Payment>({
  name: 'arkade-lightning',
  terms: shapeOf(terms),
  claim: claimOnArkade,
  fund: pay,
  judge: (t, coin, now) => safeToPay({ coin, maxTimeoutHeight: t.maxTimeoutHeight, ...paymentFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.payBefore,
    coin: { script: t.script, outpoint, policy: t.policy, ...paymentFacts(t) },
  }),
  notes: ['payment', 'refund'],
  hash160: (t) => t.vhtlc.hash,
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});
