import { after, day, height, isHeight, type Locktime } from '../../domain/time.ts';
import type { HtlcTerms } from './htlc.ts';

/** Blocks of a day, on average. */
const blocksOfDay = 144;

/** Of the refund of an HTLC: unix seconds by median time past, or a height of the tip. */
export function locktimeOf(terms: HtlcTerms): Locktime {
  return terms.form === 'musig' ? height(terms.refundHeight) : terms.refundLocktime;
}

/** A day later by the same clock. */
export function dayAfter(locktime: Locktime): Locktime {
  return isHeight(locktime) ? height(locktime + blocksOfDay) : after(locktime, day);
}

/** When the refund opens, in words for the owner. */
export function opensText(locktime: Locktime): string {
  return isHeight(locktime) ? `at block ${locktime}` : `once median time past is above ${locktime}`;
}

/** From when on somebody may refund, in words for the owner. */
export function fromText(locktime: Locktime): string {
  return isHeight(locktime) ? `block ${locktime}` : `${locktime} (unix time)`;
}
