import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { hour, minute, seconds, unix, type ReadClocks } from '../../../engine/domain/time.ts';
import {
  legsForCoin,
  legsForCoinByHeight,
  legsForLock,
  mineBefore,
  soonerBy,
  type CoinLegs,
  type LockLegs,
} from '../../../engine/legs/onchain/timelocks.ts';
import { safeToFundForLock, safeToLockForCoin } from '../../../engine/legs/safety/lock.ts';
import { defaultPolicy as policy, type TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';
import { claimUntil } from '../../../engine/legs/timelocks.ts';
import { clocks, network, now, type Skews } from '../skewed-clocks.ts';

function legs(at: ReadClocks = clocks(), of: TimeoutPolicy = policy): LockLegs {
  const made = legsForLock({ clocks: at, network, policy: of });
  if (isRefusal(made)) throw new Error(made.sentence);
  return made;
}

function safety(
  { timelock, htlcRefundLocktime }: Pick<LockLegs, 'timelock' | 'htlcRefundLocktime'>,
  at: ReadClocks,
): string {
  const fund = { network, depth: 16, confirmations: 16, timelock, htlcRefundLocktime };
  return safeToFundForLock(fund, at, policy)?.unsafe ?? 'safe';
}

describe('evm-bitcoin: the two legs', () => {
  test('the client has 24 h and we have 12, each from the clock that is worse for it', () => {
    const of = (skews: Skews) => {
      const { timelock, htlcRefundLocktime } = legs(clocks(skews));
      return [(timelock - now) / hour, (htlcRefundLocktime - now) / hour];
    };
    expect(
      [{}, { wall: hour }, { wall: -hour }, { evm: hour }, { evm: -hour, evmAhead: hour }, { bitcoin: -hour }].map(of),
    ).toEqual([
      [24, 12],
      [25, 12],
      [24, 11],
      [25, 12],
      [25, 12],
      [24, 11],
    ]);
  });

  test("the client's lock outlives our HTLC by the margin and three lags, whatever the policy", () => {
    const short = { ...policy, clientLeg: seconds(policy.serverLeg + 1) };
    const { timelock, htlcRefundLocktime } = legs(clocks(), short);
    expect(timelock - htlcRefundLocktime).toBe(3 * policy.mtpLag + policy.margin + policy.fundingWindow);
  });

  test('clocks that are too far apart, or unread, begin nothing', () => {
    const refused = [clocks({ wall: -14 * hour }), clocks({ bitcoin: 7 * hour })];
    const { [network]: _, ...unread } = clocks();
    expect([...refused, unread as ReadClocks].map((at) => legsForLock({ clocks: at, network, policy }))).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ refusal: 'unavailable' })),
    );
  });

  test('fault 60, bitcoin: whatever clocks and locktimes are, an HTLC is back before the lock opens', () => {
    const [skew, lag] = [
      fc.integer({ min: -policy.mtpLag, max: 14 * hour }),
      fc.integer({ min: 0, max: policy.mtpLag }),
    ];
    const spans = fc.integer({ min: 0, max: 48 * hour });
    fc.assert(
      fc.property(skew, lag, spans, spans, (evm, before, lock, htlc) => {
        const [timelock, htlcRefundLocktime] = [unix(now + lock), unix(now + htlc)];
        fc.pre(safety({ timelock, htlcRefundLocktime }, clocks({ evm, bitcoin: -before })) === 'safe');
        // Median time past trails as far as it can when our refund opens; a chain that is behind may catch up.
        expect(timelock - Math.max(0, evm) - (htlcRefundLocktime + policy.mtpLag)).toBeGreaterThanOrEqual(
          policy.margin,
        );
      }),
    );
  });

  test('at once a funding is safe, and it stays so for as long as it is tried', () => {
    const made = legs(clocks({ bitcoin: -hour }));
    const at = (waits: number) => safety(made, clocks({ wall: waits, evm: waits, bitcoin: waits - hour }));
    const end = made.lockBefore - now + hour;
    expect([at(0), at(30 * minute), at(end), at(end + 1)]).toEqual(['safe', 'safe', 'safe', 'never']);
  });
});

describe('bitcoin-arkade: the two legs', () => {
  function both(at: ReadClocks = clocks(), of: TimeoutPolicy = policy, confirmations = 1): CoinLegs {
    const made = legsForCoin({ clocks: at, policy: of, confirmations });
    if (isRefusal(made)) throw new Error(made.sentence);
    return made;
  }

  test('the client has 24 h and we have 12, each from the clock that is worse for it', () => {
    const of = (skews: Skews) => {
      const { refundLocktime, vhtlcRefundLocktime } = both(clocks(skews));
      return [(refundLocktime - now) / hour, (vhtlcRefundLocktime - now) / hour];
    };
    expect([{}, { wall: hour }, { wall: -hour }, { bitcoin: hour }, { bitcoin: -hour }, { evm: hour }].map(of)).toEqual(
      [
        [24, 12],
        [25, 12],
        [24, 11],
        [25, 12],
        [24, 11],
        [24, 12],
      ],
    );
  });

  test("the client's HTLC outlives our VHTLC by the margin and a lag, whatever the policy", () => {
    const short = { ...policy, clientLeg: seconds(policy.serverLeg + 1) };
    const { refundLocktime, vhtlcRefundLocktime } = both(clocks(), short);
    expect(refundLocktime - vhtlcRefundLocktime).toBe(policy.mtpLag + policy.margin);
  });

  test('a coin counts as surely ours for as long as our VHTLC may be claimed, whatever the policy', () => {
    for (const of of [policy, { ...policy, clientLeg: seconds(policy.serverLeg + 1) }]) {
      const { refundLocktime, vhtlcRefundLocktime } = both(clocks(), of);
      expect(claimUntil(refundLocktime, of)).toBeGreaterThanOrEqual(vhtlcRefundLocktime);
      expect(claimUntil(refundLocktime, of) + of.margin + of.mtpLag).toBe(refundLocktime);
    }
  });

  test('nothing is locked without time for the client to claim, and no coin of ours expires before', () => {
    const { vhtlcRefundLocktime, lockBefore, minCoinExpiry, fundBefore } = both();
    expect([vhtlcRefundLocktime - lockBefore, minCoinExpiry - vhtlcRefundLocktime, fundBefore - now]).toEqual([
      policy.mtpLag + policy.leastClaimTime,
      policy.mtpLag + policy.margin,
      policy.fundingWindow,
    ]);
  });

  test('clocks that are too far apart begin nothing', () => {
    expect(
      [clocks({ wall: -14 * hour }), clocks({ bitcoin: 7 * hour })].map((at) =>
        legsForCoin({ clocks: at, policy, confirmations: 1 }),
      ),
    ).toEqual(Array.from({ length: 2 }, () => expect.objectContaining({ refusal: 'unavailable' })));
  });

  test('fault 70, bitcoin: both are longer by an hour for each confirmation beyond the first', () => {
    for (const of of [policy, { ...policy, clientLeg: seconds(policy.serverLeg + 1) }]) {
      const [one, three] = [both(clocks(), of), both(clocks(), of, 3)];
      const longer = (['refundLocktime', 'vhtlcRefundLocktime', 'lockBefore', 'minCoinExpiry'] as const).map(
        (span) => three[span] - one[span],
      );
      expect([...longer, three.fundBefore - one.fundBefore]).toEqual([...Array(4).fill(2 * hour), 0]);
      expect(mineBefore(three.lockBefore, 3)).toBe(one.lockBefore);
      // Once fewer are waited for it ends as much sooner, and never later than it was made for.
      expect([
        soonerBy(three.lockBefore, { was: 3, is: 1 }),
        soonerBy(one.lockBefore, { was: 1, is: 3 }),
        soonerBy(one.lockBefore, { was: 1, is: 1 }),
      ]).toEqual(Array(3).fill(one.lockBefore));
      expect(claimUntil(three.refundLocktime, of)).toBeGreaterThanOrEqual(three.vhtlcRefundLocktime);
    }
  });
});

describe('bitcoin-arkade by a height: the two legs', () => {
  const policies = [policy, { ...policy, clientLeg: seconds(policy.serverLeg + policy.margin) }];
  const amount = sats(50_000);

  /** At the last look of a swap that was made now: its blocks came fast, and median time past stood still. */
  function worst(of: TimeoutPolicy, confirmations: number) {
    const at = clocks();
    const made = legsForCoinByHeight({ clocks: at, policy: of, confirmations });
    if (isRefusal(made)) throw new Error(made.sentence);
    const waited = of.fundingWindow + (confirmations - 1) * hour;
    const come = Math.ceil(waited / of.fastBlock) + confirmations;
    const judge = (blocks: number) =>
      safeToLockForCoin(
        {
          ...{ coin: { amount, depth: confirmations }, sourceAmount: amount, confirmations },
          refundLocktime: made.refundHeight,
          lockRefundLocktime: made.vhtlcRefundLocktime,
        },
        { ...at, bitcoin: { ...at.bitcoin, height: at.bitcoin.height + blocks } },
        of,
      )?.unsafe ?? 'safe';
    return { made, come, judge, blocks: made.refundHeight - at.bitcoin.height };
  }

  test.each(policies.flatMap((of) => [1, 3, 6].map((confirmations) => [of, confirmations] as const)))(
    "the client's coin outlives our VHTLC however fast the blocks come that bury it, and no longer",
    (of, confirmations) => {
      const { come, judge } = worst(of, confirmations);
      expect([judge(0), judge(come), judge(come + 1)]).toEqual(['safe', 'safe', 'never']);
    },
  );

  test('our part is as where the coin ends at a time, and clocks that are too far apart begin nothing', () => {
    const { made, blocks } = worst(policy, 2);
    const { refundHeight: _, ...ours } = made;
    expect(legsForCoin({ clocks: clocks(), policy, confirmations: 2 })).toMatchObject(ours);
    expect(blocks).toBeGreaterThan(144);
    expect(legsForCoinByHeight({ clocks: clocks({ wall: -14 * hour }), policy, confirmations: 1 })).toMatchObject({
      refusal: 'unavailable',
    });
  });
});
