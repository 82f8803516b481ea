import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { day, height, hour, seconds, unix, type Clocks, type Locktime } from '../../../engine/domain/time.ts';
import { safeToReveal, safeToRevealForCoin, safeToRevealForLock } from '../../../engine/legs/safety/reveal.ts';
import { defaultPolicy, type TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';

/*
 * What was locked for us lies there by every source that we have, with hours left by their clock; but they stand still,
 * and its end came long ago on the chain that they do not show.
 */

const start = unix(1_800_000_000);
const tip = 840_000;
const still: TimeoutPolicy = {
  ...defaultPolicy,
  bitcoinStillAfter: seconds(3 * hour),
  evmStillAfter: seconds(600),
};

/** So many seconds after the last block of either chain, by the wall alone. */
function after(passed: number): Clocks {
  return {
    wall: unix(start + passed),
    bitcoin: { mtp: unix(start), height: tip },
    'evm:137': { mtp: unix(start), height: 100 },
  };
}

const lock = (passed: number, policy: TimeoutPolicy) =>
  safeToRevealForLock(
    { network: 'evm:137', depth: 20, confirmations: 12, timelock: unix(start + 12 * hour) },
    after(passed),
    policy,
  );

const coin = (passed: number, policy: TimeoutPolicy, refundLocktime: Locktime = height(tip + 72)) =>
  safeToRevealForCoin(
    { coin: { amount: sats(50_000), height: tip - 3 }, height: tip, targetAmount: sats(50_000), refundLocktime },
    after(passed),
    policy,
  );

test('fault 142, evm: no secret is shown for a lock on a chain that stands still, until it goes on', () => {
  expect([lock(600, still), lock(601, still)?.unsafe, lock(13 * hour, still)?.unsafe]).toEqual([null, 'wait', 'wait']);
});

test('fault 142, bitcoin: nor for a coin, whether it ends at a height or at a time', () => {
  const atTime = unix(start + 24 * hour);
  expect([coin(3 * hour, still), coin(3 * hour + 1, still)?.unsafe, coin(13 * hour, still)?.unsafe]).toEqual([
    null,
    'wait',
    'wait',
  ]);
  expect([coin(3 * hour, still, atTime), coin(3 * hour + 1, still, atTime)?.unsafe]).toEqual([null, 'wait']);
});

const vhtlc = (passed: number, policy: TimeoutPolicy) =>
  safeToReveal(
    {
      coin: {
        amount: sats(50_000),
        spent: false,
        recoverable: false,
        unrolled: false,
        expiresAt: unix(start + 30 * day),
      },
      targetAmount: sats(50_000),
      refundLocktime: unix(start + 24 * hour),
    },
    after(passed),
    policy,
  );

test('fault 142, arkade: nor for a VHTLC, whose end the Bitcoin chain judges', () => {
  expect([vhtlc(3 * hour, still), vhtlc(3 * hour + 1, still)?.unsafe, vhtlc(25 * hour, still)?.unsafe]).toEqual([
    null,
    'wait',
    'wait',
  ]);
  expect([vhtlc(25 * hour, defaultPolicy), vhtlc(-13 * hour, still)]).toEqual([null, null]);
});

test('blocks that come on request may be of any age, and a wall that is behind says nothing', () => {
  expect([lock(13 * hour, defaultPolicy), coin(13 * hour, defaultPolicy)]).toEqual([null, null]);
  expect([lock(-13 * hour, still), coin(-13 * hour, still)]).toEqual([null, null]);
});
