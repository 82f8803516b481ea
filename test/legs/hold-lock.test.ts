import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { hour, unix, type ReadClocks } from '../../engine/domain/time.ts';
import { shortestFor } from '../../engine/legs/block-times.ts';
import { holdLockLegs, stopLine, type HoldLockLegs } from '../../engine/legs/lightning/timelocks.ts';
import { safeToLockOnEvmForHeld } from '../../engine/legs/safety/lock.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { clocks, network, now } from './skewed-clocks.ts';

const height = 900_000;

function legs(at: ReadClocks = clocks()): HoldLockLegs {
  const made = holdLockLegs({ clocks: at, network, policy });
  if (isRefusal(made)) throw new Error(made.sentence);
  return made;
}

function judge(
  made: HoldLockLegs,
  at: ReadClocks,
  held = { amount: sats(1_000), expiryHeight: height + made.cltvDelta },
) {
  const { timelock } = made;
  return safeToLockOnEvmForHeld({ held, sourceAmount: sats(1_000), network, timelock }, at, policy)?.unsafe ?? 'safe';
}

describe('lightning-evm: a lock for a held payment', () => {
  test('it opens after 12 h, and the payment is held for 17 of blocks by chance, and 24 more', () => {
    const { timelock, lockBefore, fundBefore, cltvDelta, back } = legs();
    expect([timelock - now, lockBefore - now, fundBefore - now, back - now].map((span) => span / hour)).toEqual([
      12, 10, 0.5, 14,
    ]);
    const blocks = cltvDelta - 24 - policy.reactionBlocks;
    expect(blocks).toBe(196);
    expect([blocks, blocks - 1].map((many) => shortestFor(many, policy) >= 17 * hour)).toEqual([true, false]);
  });

  test('is safe while the client has its time, and never for a payment that is short', () => {
    const made = legs();
    const at = (waits: number, blocks = 0) => {
      const later = clocks({ wall: waits, evm: waits, bitcoin: waits });
      return { ...later, bitcoin: { ...later.bitcoin, height: height + blocks } };
    };
    const end = made.lockBefore - now;
    const fast = (span: number) => Math.floor(span / policy.fastBlock);
    expect(
      [at(0), at(0, policy.reactionBlocks), at(end, fast(end)), at(end + 1)].map((one) => judge(made, one)),
    ).toEqual(['safe', 'safe', 'safe', 'never']);
    const expiryHeight = height + made.cltvDelta;
    expect([
      judge(made, at(0, policy.reactionBlocks + 1)),
      judge(made, at(0), { amount: sats(999), expiryHeight }),
      judge(made, at(0), { amount: sats(1_000), expiryHeight: expiryHeight - policy.reactionBlocks - 1 }),
    ]).toEqual(['never', 'never', 'never']);
  });

  test('is not made where a clock is unread, in doubt, or too far from the others', () => {
    const { [network]: _, ...unread } = clocks();
    const doubted = { ...clocks(), [network]: { mtp: unix(now), height: 1, doubt: 'two RPCs differ' } };
    expect([judge(legs(), unread as ReadClocks), judge(legs(), doubted)]).toEqual(['wait', 'wait']);
    const far = [unread as ReadClocks, clocks({ wall: -14 * hour }), clocks({ evmAhead: 14 * hour })];
    expect(far.map((at) => holdLockLegs({ clocks: at, network, policy }))).toEqual(
      far.map(() => expect.objectContaining({ refusal: 'unavailable' })),
    );
  });

  test('fault 60, evm: whatever the clocks were, the payment is held until our refund is final', () => {
    const skew = fc.integer({ min: -14 * hour, max: 14 * hour });
    const lag = fc.integer({ min: 0, max: policy.mtpLag });
    const waits = fc.integer({ min: 0, max: 12 * hour });
    fc.assert(
      fc.property(skew, lag, lag, waits, fc.integer({ min: 0, max: 60 }), (wall, evm, evmLater, waited, blocks) => {
        const made = holdLockLegs({ clocks: clocks({ wall, evm: -evm }), network, policy });
        fc.pre(!isRefusal(made));
        const at = clocks({ wall: wall + waited, evm: waited - evm, bitcoin: waited });
        const later = { ...at, bitcoin: { ...at.bitcoin, height: height + blocks } };
        fc.pre(judge(made, later) === 'safe');
        const expiryHeight = height + made.cltvDelta;
        const held = now + waited + shortestFor(stopLine(expiryHeight, policy) - height - blocks, policy);
        // True time at which the chain's clock, which trails, shows the moment.
        expect(held).toBeGreaterThanOrEqual(made.back + evmLater);
        expect(made.back - made.timelock).toBe(policy.margin);
      }),
    );
  });
});

test('fault 194, lightning: a payment is held for longer than blocks take that come quickly by chance', () => {
  // The chance that so many come within 14 h, in which our refund is final, at 450 s each: Poisson with mean 112.
  const within = (14 * hour) / policy.fastBlock;
  const chance = (blocks: number): number => {
    let [sum, term] = [0, Math.exp(-within)];
    for (let i = 0; i < blocks; i++) [sum, term] = [sum + term, (term * within) / (i + 1)];
    return 1 - sum;
  };
  const { cltvDelta } = legs();
  // From the moment at which lnd lets it go, with no block to spare.
  expect(chance((17 * hour) / policy.fastBlock + policy.reactionBlocks)).toBeGreaterThan(1e-3);
  expect(chance(cltvDelta - policy.reactionBlocks - policy.lndCancelBlocks)).toBeLessThan(1e-6);
});
