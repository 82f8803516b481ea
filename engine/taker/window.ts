import { after, seconds, unix } from '../domain/time.ts';
import { invoicePayableUntil } from '../legs/timelocks.ts';
import type { PaidLeg } from './halves/bitcoin/fund/terms.ts';
import type { Window } from './halves/fund.ts';
import type { Deal, Leg, LightningLeg, OrderTerms } from './terms.ts';
import { leastTimeToPay } from './verify.ts';

/** Within the window that the provider counts from its own create, for which its answer came in time. */
export function fundingWindow({ createBefore, policy }: Pick<OrderTerms, 'createBefore' | 'policy'>): Window {
  const pay = unix(createBefore + policy.fundingWindow - leastTimeToPay);
  return { pay, over: after(pay, seconds(leastTimeToPay)) };
}

/** While the invoice can be paid. */
export function invoiceWindow(_: object, { target: { expiresAt } }: Deal<Leg, LightningLeg>): Window {
  return { pay: invoicePayableUntil(expiresAt), over: expiresAt };
}

/** While our coin on the Bitcoin chain can be paid. */
export function coinWindow(_: object, { source: { payBefore } }: Deal<PaidLeg, Leg>): Window {
  return { pay: payBefore, over: payBefore };
}
