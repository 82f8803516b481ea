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

/** In sats, rounded up. */
function feeOf(weight: bigint, rate: number): Sats {
  return sats(Math.ceil((Number(weight) * rate) / 4));
}

/**
 * Sats that lnd's own wallet must have to close the channels that hold payments, twice over, and to bring each of these
 * home where blocks ask for `rate` sats per virtual byte; `more`: payments to come, each in one more channel. Of an
 * HTLC lnd pays half at most.
 */
export function closingCost({ channels, htlcs }: Omit<ClosingFunds, 'coins'>, rate: number, more: number): Sats {
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
 * adds coins of its wallet, and without any it sends neither (facts/faults.md 337, 338).
 *
 * Loses money when wrong: what a held payment was given for, or a payment that is held beyond the client's refund.
 */
export function closeUnpaid(funds: ClosingFunds, rate: number, more: number): string | null {
  const { coins } = funds;
  const cost = closingCost(funds, rate, more);
  if (coins >= cost) return null;
  return (
    `The Lightning node's own wallet on the chain has ${coins} sats in blocks, and ${cost} may be ` +
    `needed to close its channels now: send at least ${cost - coins} sats to an address of it.`
  );
}
