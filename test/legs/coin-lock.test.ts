import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { hour, seconds, unix, type ReadClocks } from '../../engine/domain/time.ts';
import { coinLockLegs, mineBefore, type CoinLockLegs } from '../../engine/legs/onchain/timelocks.ts';
import { safeToLockOnEvmForCoin } from '../../engine/legs/safety/lock.ts';
import { claimUntil } from '../../engine/legs/timelocks.ts';
import { defaultPolicy, type TimeoutPolicy } from '../../engine/legs/timeout-policy.ts';
import { clocks, network, now } from './skewed-clocks.ts';

const policy = defaultPolicy;
/** As short as a policy may have the client's leg: what is longer by default would hide what is too short. */
const tight: TimeoutPolicy = { ...policy, clientLeg: seconds(policy.serverLeg + policy.margin) };

function legs(at: ReadClocks = clocks(), of = policy, confirmations = 1): CoinLockLegs {
  const made = coinLockLegs({ clocks: at, network, policy: of, confirmations });
  if (isRefusal(made)) throw new Error(made.sentence);
  return made;
}

function judge(
  { refundLocktime, timelock }: CoinLockLegs,
  at: ReadClocks,
  change: Partial<Parameters<typeof safeToLockOnEvmForCoin>[0]> = {},
  of = policy,
) {
  const coin = { amount: sats(1_000), depth: 1 };
  const lock = { coin, sourceAmount: sats(1_000), confirmations: 1, refundLocktime, network, timelock, ...change };
  return safeToLockOnEvmForCoin(lock, at, of)?.unsafe ?? 'safe';
}

describe('bitcoin-evm: a lock for a coin on the Bitcoin chain', () => {
  test('it opens after 12 h, and the coin is ours for 24 h, where nothing asks for more', () => {
    const { timelock, lockBefore, giveBefore, fundBefore, refundLocktime } = legs();
    expect(
      [timelock, lockBefore, giveBefore, fundBefore, refundLocktime].map((moment) => (moment - now) / hour),
    ).toEqual([12, 10, 7, 0.5, 24]);
  });

  test('the coin outlives the lock and its refund, whichever clock trails by its lag', () => {
    const { timelock, refundLocktime } = legs(clocks(), tight);
    const { mtpLag, margin, fundingWindow } = policy;
    expect(refundLocktime - timelock).toBe(2 * mtpLag + margin + fundingWindow);
    // No refund of ours is hurried, nor a claim that may go away acted on, before it has to be.
    expect(claimUntil(refundLocktime, tight)).toBeGreaterThanOrEqual(timelock);
  });

  test('is safe while the client has its time, and waits for a coin that is not there or not deep enough', () => {
    const made = legs();
    const at = (waits: number) => clocks({ wall: waits, evm: waits, bitcoin: waits });
    const end = made.lockBefore - now;
    expect([at(0), at(end), at(end + 1)].map((one) => judge(made, one))).toEqual(['safe', 'safe', 'never']);
    expect([
      judge(made, at(0), { coin: null }),
      judge(made, at(0), { confirmations: 2 }),
      judge(made, at(0), { coin: { amount: sats(999), depth: 6 } }),
    ]).toEqual(['wait', 'wait', 'never']);
  });

  test('is not made where a clock is unread, in doubt, or too far from the others', () => {
    const { [network]: _, ...unread } = clocks();
    const doubted = { ...clocks(), [network]: { mtp: unix(now), height: 1, doubt: 'two RPCs differ' } };
    expect([judge(legs(), unread as ReadClocks), judge(legs(), doubted)]).toEqual(['wait', 'wait']);
    const far = [
      unread as ReadClocks,
      clocks({ wall: -14 * hour }),
      clocks({ evmAhead: 14 * hour }),
      clocks({ bitcoin: 7 * hour }),
    ];
    expect(far.map((at) => coinLockLegs({ clocks: at, network, policy, confirmations: 1 }))).toEqual(
      far.map(() => expect.objectContaining({ refusal: 'unavailable' })),
    );
  });

  test('fault 70, bitcoin: all is longer by an hour for each confirmation beyond the first', () => {
    for (const of of [policy, tight]) {
      const [one, three] = [legs(clocks(), of), legs(clocks(), of, 3)];
      const spans = ['refundLocktime', 'timelock', 'lockBefore', 'giveBefore'] as const;
      const longer = spans.map((span) => three[span] - one[span]);
      expect([...longer, three.fundBefore - one.fundBefore]).toEqual([...Array(4).fill(2 * hour), 0]);
      expect(mineBefore(three.giveBefore, 3)).toBe(one.giveBefore);
    }
  });

  test('whatever counts by median time past, the client has its time on the EVM chain', () => {
    const { lockBefore, giveBefore } = legs();
    for (const lag of [0, policy.mtpLag]) {
      const at = giveBefore + lag - now;
      expect(judge(legs(), clocks({ wall: at, evm: at, bitcoin: at - lag }))).not.toBe('never');
    }
    expect(giveBefore + policy.mtpLag).toBe(lockBefore);
  });

  test('fault 60, evm: whatever the clocks were, the coin is ours until our refund is final', () => {
    const skew = fc.integer({ min: -14 * hour, max: 14 * hour });
    const lag = fc.integer({ min: 0, max: policy.mtpLag });
    const waits = fc.integer({ min: 0, max: 12 * hour });
    const confirmations = fc.constantFrom(1, 3);
    fc.assert(
      fc.property(
        skew,
        lag,
        lag,
        lag,
        lag,
        waits,
        confirmations,
        (wall, evm, mtp, evmLater, mtpLater, waited, deep) => {
          const made = coinLockLegs({
            clocks: clocks({ wall, evm: -evm, bitcoin: -mtp }),
            network,
            policy: tight,
            confirmations: deep,
          });
          fc.pre(!isRefusal(made));
          const at = clocks({ wall: wall + waited, evm: waited - evm, bitcoin: waited - mtp });
          fc.pre(judge(made, at, {}, tight) === 'safe');
          // True time at which each chain, which trails, shows its moment.
          const refundOpens = made.refundLocktime + mtpLater;
          const ours = made.timelock + evmLater;
          expect(refundOpens).toBeGreaterThanOrEqual(ours + policy.margin);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
