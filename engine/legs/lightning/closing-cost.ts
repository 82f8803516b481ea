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
 * Why nothing is given yet for a payment that is held, and none is begun; null where lnd's own wallet could pay for a
 * close. With anchors neither the claim of an HTLC on our commitment nor what takes it back has a fee of its own: lnd
 * adds coins of its wallet, and without any it sends neither (facts/faults.md 336, 337). And one of these may take
 * every coin, so that the next waits for the change to be mined. `rate` and `more` as for the cost; a channel that its
 * peer opened is closed without coins where its commitment pays as much as that.
 *
 * Loses money when wrong: what a held payment was given for, or a payment that is held beyond the client's refund.
 */
export function closeUnpaid(funds: Omit<ClosingFunds, 'hashes'>, rate: number, more: number): string | null {
  const { coins, theirs } = funds;
  const slow = theirs.filter(({ perKw }) => perKw < Math.floor(rate * perKwAtOne));
  const busy = slow.filter(({ holds }) => holds).length;
  const before = busy + Math.min(more - 1, slow.length - busy);
  if (before > mostBefore)
    return (
      `The Lightning node may have to close ${before} channels one after the other, whose commitments pay less than ` +
      `blocks ask for now: another payment waits until there are ${mostBefore}, or blocks ask for less.`
    );
  const cost = closingCost(funds, rate, more);
  if (coins >= cost) return null;
  return (
    `The Lightning node's own wallet on the chain has ${coins} sats in blocks, and ${cost} may be ` +
    `needed to close its channels now: send at least ${cost - coins} sats to an address of it.`
  );
}

/**
 * In how many HTLCs another payment may be sent, with so many of others to come, for each may be in a channel of its
 * own; or why in none (facts/faults.md 337).
 *
 * Loses money when wrong: parts of a payment that are held beyond the client's refund.
 */
export function partsPaid(funds: Omit<ClosingFunds, 'hashes'>, rate: number, others: number): number | string {
  const reason = closeUnpaid(funds, rate, others + 1);
  if (reason !== null) return reason;
  let parts = mostParts;
  while (parts > 1 && closeUnpaid(funds, rate, others + parts) !== null) parts -= 1;
  return parts;
}
