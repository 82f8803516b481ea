import { type Clocks, furthest, isHeight, type Locktime } from '../../domain/time.ts';
import { locktimePassed } from '../timelocks.ts';
import { type Safety, unread, wait } from './verdict.ts';

/**
 * Refunding the leg that we funded, by its locktime leaf. Wrong: too early it is refused and may strand the coin. That
 * the client has not claimed it is the state's to know: a swap that saw the claim never asks.
 */
export function safeToRefund({ refundLocktime }: { refundLocktime: Locktime }, clocks: Clocks): Safety {
  const { mtp, height } = furthest(clocks.bitcoin);
  if (mtp === null) return unread;
  if (locktimePassed(refundLocktime, { mtp, height })) return null;
  return wait(
    isHeight(refundLocktime)
      ? `The refund opens once the tip is at height ${refundLocktime}; it is at ${height}.`
      : `The refund opens when median time past is above ${refundLocktime}; it is ${mtp}.`,
  );
}
