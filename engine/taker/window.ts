import { after, seconds, unix, type Locktime } from '../domain/time.ts';
import { lockEnd } from '../legs/evm/timelocks.ts';
import { locktimeOf } from '../legs/onchain/locktime.ts';
import { invoicePayableUntil } from '../legs/timelocks.ts';
import type { EvmLeg } from './evm/terms.ts';
import type { PaidLeg } from './halves/bitcoin/fund/terms.ts';
import type { Window } from './halves/fund.ts';
import type { ArkadeLeg, BitcoinLeg, Deal, Leg, LightningLeg, OrderTerms } from './terms.ts';
import { leastTimeToPay } from './verify.ts';

/** When what was agreed is paid for. */
export function windowOf(t: OrderTerms, { source, target }: Deal): Window {
  const payout = target.on === 'lightning' ? (target as LightningLeg).expiresAt : null;
  switch (source.on) {
    case 'lightning':
      return { pay: (source as LightningLeg).expiresAt, over: endOf(target) };
    case 'bitcoin': {
      const { payBefore } = source as PaidLeg;
      // What is mined when the invoice is over comes back after a day: it is not begun that late.
      const pay = payout === null ? payBefore : unix(Math.min(payBefore, payout));
      return { pay, over: pay };
    }
    case 'arkade':
    case 'evm':
      return payout === null ? fundingWindow(t) : { pay: invoicePayableUntil(payout), over: payout };
  }
}

/** Within the window that the provider counts from its own create, for which its answer came in time. */
export function fundingWindow({ createBefore, policy }: Pick<OrderTerms, 'createBefore' | 'policy'>): Window {
  const pay = unix(createBefore + policy.fundingWindow - leastTimeToPay);
  return { pay, over: after(pay, seconds(leastTimeToPay)) };
}

/** When the provider may take back what it locked. */
function endOf(leg: Leg): Locktime {
  switch (leg.on) {
    case 'arkade':
      return (leg as ArkadeLeg).vhtlc.refundLocktime;
    case 'bitcoin':
      return locktimeOf((leg as BitcoinLeg).htlc);
    case 'evm':
      return lockEnd(leg as EvmLeg);
    case 'lightning':
      return (leg as LightningLeg).expiresAt;
  }
}
