import { type Clocks, furthest, type Unix } from '../../domain/time.ts';
import { locktimePassed } from '../timelocks.ts';
import { type Safety, unread, wait } from './verdict.ts';

/**
 * Refunding the leg that we funded, by its locktime leaf. Wrong: too early it is refused and may strand the coin. That
 * the client has not claimed it is the state's to know: a swap that saw the claim never asks.
 */
export function safeToRefund(refund: { refundLocktime: Unix }, clocks: Clocks): Safety {
  const { mtp } = furthest(clocks.bitcoin);
  if (mtp === null) return unread;
  if (!locktimePassed(refund.refundLocktime, { mtp }))
    return wait(`The refund opens when median time past is above ${refund.refundLocktime}; it is ${mtp}.`);
  return null;
}
