import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { claimShare, claimWeight } from './part-cost.ts';
import type { ClosingFunds } from './port.ts';

/** Weight units of a commitment with anchors (BOLT 3), and of each HTLC's output there. */
const commitmentWeight = 1_124n;
const outputWeight = 172n;
/** What brings a commitment into a block: an anchor and a Taproot coin of the wallet, and an output for the change. */
const anchorChildWeight = 724n;
/** Blocks may ask for more until the last of it is mined. */
const timesOver = 2n;
/** lnd's own default for splitting a payment. */
export const mostParts = 16;
/** Sats for a thousand units of weight, where a virtual byte, which is four, costs one. */
const perKwAtOne = 250;
/** Blocks that may pass, one for each, until the last close goes out; lnd begins ten before an HTLC times out. */
const mostBefore = 4;
/** Of the parts that the wallet has coins for, one payment has one in so many. */
const share = 4;

/** The first release of lnd that adds only the coins that a claim needs. */
const firstToAddFew = [0, 19] as const;

/**
 * Whether an lnd of this version, in its own words, sends no claim at all unless its wallet covers half of the HTLC
 * (facts/faults.md 368); false where it names no release.
 *
 * Loses money when wrong: what a held payment was given for, however small `closingCost` is.
 */
export function needsHalf(version: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return false;
  const [first, second] = firstToAddFew;
  return Number(major) < first || (Number(major) === first && Number(minor) < second);
}

/** In sats, rounded up. */
function feeOf(weight: bigint, rate: number): Sats {
  return sats(Math.ceil((Number(weight) * rate) / 4));
}

/**
 * Sats that lnd's own wallet must have to close the channels that hold payments, twice over, and to bring each of these
 * home where blocks ask for `rate` sats per virtual byte; `more`: payments to come, each in one more channel. Of an
 * HTLC lnd pays half at most.
 */
export function closingCost(
  { channels, htlcs }: Pick<ClosingFunds, 'channels' | 'htlcs'>,
  rate: number,
  more: number,
): Sats {
  const close = timesOver * feeOf(commitmentWeight + anchorChildWeight, rate);
  const claim = timesOver * feeOf(outputWeight + claimWeight, rate);
  const claims = htlcs.reduce((sum, amount) => {
    const most = amount / claimShare;
    return sum + (claim < most ? claim : most);
  }, 0n);
  return sats(close * BigInt(channels) + claims + (close + claim) * BigInt(more));
}

/**
 * Why no payment is begun, and no swap over Lightning; null where lnd's own wallet could pay for a close. With anchors
 * neither the claim of an HTLC on our commitment nor what takes it back has a fee of its own: lnd adds coins of its
 * wallet, and without any it sends neither (facts/faults.md 336, 337). `rate` and `more` as for the cost.
 *
 * Loses money when wrong: what a held payment was given for, or a payment that is held beyond the client's refund.
 */
export function closeUnpaid(funds: Omit<ClosingFunds, 'hashes'>, rate: number, more: number): string | null {
  const { coins } = funds;
  const cost = closingCost(funds, rate, more);
  if (coins >= cost) return null;
  return (
    `The Lightning node's own wallet on the chain has ${coins} sats in blocks, and ${cost} may be ` +
    `needed to close its channels now: send at least ${cost - coins} sats to an address of it.`
  );
}

/**
 * Why nothing is given yet for the payment of a hash that is held; null where its close could be paid for and comes in
 * time. lnd puts a child on the commitment of whoever opened the channel, for what it claims there or sent on, and one
 * child may take every coin, so that the next waits for the change to be mined. So a payment over a channel that its
 * peer opened, whose commitment pays less than blocks ask for, has few such channels before it; over a channel that we
 * opened it waits for nobody, for no honest peer's is closed (facts/faults.md 366).
 *
 * Loses money when wrong: what was given for it.
 */
export function heldUnsafely(
  funds: Omit<ClosingFunds, 'hashes'>,
  rate: number,
  more: number,
  hash: Sha256,
): string | null {
  const slow = funds.theirs.filter(({ perKw }) => perKw < Math.floor(rate * perKwAtOne));
  const before = slow.some(({ hashes }) => hashes.some((one) => sameBytes(one, hash))) ? slow.length - 1 : 0;
  if (before > mostBefore)
    return (
      `The Lightning node may have to close ${before} channels before the last of this payment, one after the ` +
      `other, whose commitments pay less than blocks ask for now: it waits until there are ${mostBefore}, or blocks ` +
      'ask for less.'
    );
  return closeUnpaid(funds, rate, more);
}

/**
 * In how many HTLCs another payment may be sent, with so many of others to come, for each may be in a channel of its
 * own; or why in none (facts/faults.md 337). It takes a quarter of what the wallet could close at most, for whoever
 * holds it keeps that from all others (368).
 *
 * Loses money when wrong: parts of a payment that are held beyond the client's refund.
 */
export function partsPaid(funds: Omit<ClosingFunds, 'hashes'>, rate: number, others: number): number | string {
  const reason = closeUnpaid(funds, rate, others + 1);
  if (reason !== null) return reason;
  let parts = mostParts;
  while (parts > 1 && closeUnpaid(funds, rate, others + parts * share) !== null) parts -= 1;
  return parts;
}
