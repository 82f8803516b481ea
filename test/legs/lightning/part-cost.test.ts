import { expect, test } from 'vitest';
import { leastPart } from '../../../engine/legs/lightning/part-cost.ts';

test('fault 335, lightning: the smallest part pays for its claim twice, with the coin that brings the fee', () => {
  // HTLC-success with anchors has no fee of its own: a Taproot coin of the wallet goes in, and its change comes out.
  const vbytes = Math.ceil((706 + 230 + 172) / 4);
  const least = (rate: number) => Number(leastPart(rate));
  expect([least(1), least(50), least(500)]).toEqual([2 * vbytes, 2 * 50 * vbytes, 2 * 500 * vbytes]);
  expect(least(50)).toBeGreaterThanOrEqual(2 * 50 * 276);
});
