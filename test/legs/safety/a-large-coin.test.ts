import { expect, test } from 'vitest';
import { sats, type Sats } from '../../../engine/domain/money.ts';
import { height, unix } from '../../../engine/domain/time.ts';
import { safeToRevealForCoin } from '../../../engine/legs/safety/reveal.ts';
import { defaultPolicy } from '../../../engine/legs/timeout-policy.ts';

const tip = 840_000;
const start = unix(1_800_000_000);

/** Of a coin with so many blocks on it, its own counted. */
function verdict(amount: Sats, depth: number): string {
  const coin = { amount, height: tip + 1 - depth };
  const clocks = { wall: start, bitcoin: { mtp: start, height: tip } };
  const claim = { coin, height: tip, targetAmount: amount, refundLocktime: height(tip + 72) };
  return safeToRevealForCoin(claim, clocks, defaultPolicy)?.unsafe ?? 'safe';
}

test('fault 70, bitcoin: a client shows its secret for a large coin once a third block is on it', () => {
  const [small, large] = [sats(10_000_000), sats(10_000_001)];
  expect([1, 2].map((depth) => verdict(small, depth))).toEqual(['wait', 'safe']);
  expect([1, 2, 3].map((depth) => verdict(large, depth))).toEqual(['wait', 'wait', 'safe']);
});
