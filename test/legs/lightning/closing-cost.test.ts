import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { closeUnpaid, closingCost } from '../../../engine/legs/lightning/closing-cost.ts';

/** Sats for one channel's commitment and the child of its anchor, and for an HTLC on it, twice over. */
const [close, claim] = [2 * 462, 2 * 320];

test('fault 336, lightning: what closes may cost is each channel, and each HTLC up to half of it', () => {
  const cost = (channels: number, htlcs: readonly number[], rate: number, more: number) =>
    Number(closingCost({ channels, htlcs: htlcs.map(sats) }, rate, more));
  expect([cost(0, [], 1, 0), cost(0, [], 1, 1), cost(0, [], 2, 3)]).toEqual([
    0,
    close + claim,
    3 * (2 * close + 2 * claim),
  ]);
  // Of what is small lnd pays no more than half.
  expect(cost(2, [100_000, 400], 1, 0)).toBe(2 * close + claim + 200);
});

test('fault 336, lightning: a wallet that has less says how much to send to it', () => {
  const funds = { channels: 1, htlcs: [sats(100_000)], theirs: [] };
  const cost = 2 * (close + claim);
  expect(closeUnpaid({ ...funds, coins: sats(cost) }, 1, 1)).toBeNull();
  expect(closeUnpaid({ ...funds, coins: sats(cost - 1) }, 1, 1)).toBe(
    `The Lightning node's own wallet on the chain has ${cost - 1} sats in blocks, and ${cost} may be needed to close ` +
      'its channels now: send at least 1 sats to an address of it.',
  );
});
