import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { day, hour, minute, seconds, unix, type ReadClocks } from '../../../engine/domain/time.ts';
import { evmLockLegs, timelockPassed, type EvmLockLegs } from '../../../engine/legs/evm/timelocks.ts';
import { safeToLockOnEvm } from '../../../engine/legs/safety/lock.ts';
import { defaultPolicy as policy, type TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';
import { clocks, network, now, type Skews } from '../skewed-clocks.ts';

function legs(at: ReadClocks = clocks(), of: TimeoutPolicy = policy): EvmLockLegs {
  const made = evmLockLegs({ clocks: at, network, policy: of });
  if (isRefusal(made)) throw new Error(made.sentence);
  return made;
}

const coin = {
  amount: sats(1_000),
  expiresAt: unix(now + 30 * day),
  recoverable: false,
  unrolled: false,
  spent: false,
};

function judge(made: EvmLockLegs, at: ReadClocks): string {
  const lock = { coin, sourceAmount: sats(1_000), network, ...made };
  return safeToLockOnEvm(lock, at, policy)?.unsafe ?? 'safe';
}

describe('arkade-evm: the two legs', () => {
  test('the client has 24 h and we have 12, each from the clock that is worse for it', () => {
    const of = (skews: Skews) => {
      const { refundLocktime, timelock } = legs(clocks(skews));
      return [(refundLocktime - now) / hour, (timelock - now) / hour];
    };
    expect([of({}), of({ wall: hour }), of({ wall: -hour }), of({ evm: -hour }), of({ bitcoin: hour })]).toEqual([
      [24, 12],
      [25, 12],
      [24, 11],
      [24, 11],
      [25, 12],
    ]);
  });

  test("the client's leg outlives ours by the margin and two lags, whatever the policy", () => {
    const short = { ...policy, clientLeg: seconds(policy.serverLeg + 1) };
    const { refundLocktime, timelock } = legs(clocks(), short);
    expect(refundLocktime - timelock).toBe(2 * policy.mtpLag + policy.margin + policy.fundingWindow);
  });

  test('chains whose clocks are too far apart, or unread, begin nothing', () => {
    const refused = [
      clocks({ evm: 10 * hour }),
      clocks({ evm: -10 * hour, evmAhead: 0 }),
      clocks({ wall: -14 * hour }),
    ];
    const { [network]: _, ...unread } = clocks();
    expect([...refused, unread as ReadClocks].map((at) => evmLockLegs({ clocks: at, network, policy }))).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ refusal: 'unavailable' })),
    );
  });

  test('fault 60, evm: whatever the clocks were, a safe lock is ours again before the VHTLC opens', () => {
    const skew = fc.integer({ min: -14 * hour, max: 14 * hour });
    const lag = fc.integer({ min: 0, max: policy.mtpLag });
    fc.assert(
      fc.property(skew, skew, lag, lag, fc.integer({ min: 0, max: day }), (wall, evm, before, after, waits) => {
        const made = evmLockLegs({ clocks: clocks({ wall, evm, bitcoin: -before }), network, policy });
        fc.pre(!isRefusal(made));
        const later = clocks({ wall: wall + waits, evm: evm + waits, bitcoin: waits - after });
        fc.pre(judge(made, later) === 'safe');
        // The EVM chain may stand still when our refund opens; median time past is true time at best.
        const ours = now + waits + (made.timelock - (now + evm + waits)) + policy.mtpLag;
        expect(made.refundLocktime - ours).toBeGreaterThanOrEqual(policy.margin);
      }),
    );
  });

  test('at once a lock is safe, and it stays so for as long as it is tried', () => {
    const made = legs();
    const at = (waits: number) => judge(made, clocks({ wall: waits, evm: waits, bitcoin: waits - hour }));
    const end = made.lockBefore - now;
    expect([at(0), at(30 * minute), at(end), at(end + 1)]).toEqual(['safe', 'safe', 'safe', 'never']);
  });

  test('a lock waits for clocks that are unread, in doubt, or apart, and never comes against a bad coin', () => {
    const made = legs();
    const { [network]: _, ...unread } = clocks();
    const doubted = { ...clocks(), [network]: { mtp: unix(now), height: 1, doubt: 'two RPCs differ' } };
    const lock = { coin, sourceAmount: sats(1_000), network, ...made };
    const against = (change: Partial<typeof coin>) =>
      safeToLockOnEvm({ ...lock, coin: { ...coin, ...change } }, clocks(), policy)?.unsafe;
    expect([judge(made, unread as ReadClocks), judge(made, doubted), judge(made, clocks({ evm: -9 * hour }))]).toEqual([
      'wait',
      'wait',
      'wait',
    ]);
    expect([
      against({ spent: true }),
      against({ recoverable: true }),
      against({ unrolled: true }),
      against({ amount: sats(999) }),
      against({ expiresAt: unix(made.minCoinExpiry - 1) }),
    ]).toEqual(['never', 'never', 'never', 'never', 'never']);
  });

  test('our refund opens at the timelock by the block time of its own chain, and by no other clock', () => {
    const { timelock } = legs();
    const span = timelock - now;
    expect([
      timelockPassed(timelock, clocks({ evm: span }), network),
      timelockPassed(timelock, clocks({ evm: span - 1, evmAhead: span }), network),
      timelockPassed(timelock, clocks({ evm: span - 1, wall: day, bitcoin: day }), network),
      timelockPassed(timelock, clocks({ evm: span }), 'evm:1'),
    ]).toEqual([true, true, false, false]);
  });
});
