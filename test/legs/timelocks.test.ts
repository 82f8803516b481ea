import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import {
  type Clocks,
  day,
  earlierOf,
  hour,
  laterOf,
  minute,
  type ReadClocks,
  seconds,
  unix,
} from '../../engine/domain/time.ts';
import {
  holdBlocks,
  type HoldLeg,
  holdLeg,
  payHeight,
  payoutLeg,
  type PayoutLeg,
  stopLine,
} from '../../engine/legs/lightning/timelocks.ts';
import { shortestFor } from '../../engine/legs/block-times.ts';
import { ceil512, latestByChain, locktimePassed, vhtlcDelays } from '../../engine/legs/timelocks.ts';
import { lockSpan, vhtlcSpan } from '../../engine/legs/spans.ts';
import { defaultPolicy, finalHopPadding, policyFaults, type TimeoutPolicy } from '../../engine/legs/timeout-policy.ts';

const now = unix(1_800_000_000);
const height = 840_000;

/** Both clocks agree, unless one is said to be somewhere else. */
function clocks(change: { wall?: number; mtp?: number } = {}): ReadClocks {
  return { wall: unix(now + (change.wall ?? 0)), bitcoin: { mtp: unix(now + (change.mtp ?? 0)), height } };
}

function payout(finalCltv: number, policy: TimeoutPolicy = defaultPolicy, at: ReadClocks = clocks()): PayoutLeg {
  const leg = payoutLeg({ clocks: at, finalCltv, policy });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  return leg;
}

function held(policy: TimeoutPolicy = defaultPolicy, at: ReadClocks = clocks()): HoldLeg {
  const leg = holdLeg({ clocks: at, policy });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  return leg;
}

/** Policies as regtest may have them: anything that contradicts nothing. */
const policies = fc
  .record({
    margin: fc.integer({ min: 20, max: 20_000 }),
    serverLeg: fc.integer({ min: 200, max: 100_000 }),
    extra: fc.integer({ min: 0, max: 100_000 }),
    fast: fc.integer({ min: 1, max: 600 }),
    slow: fc.integer({ min: 0, max: 600 }),
    routeBlocks: fc.integer({ min: 3, max: 300 }),
    resolveBlocks: fc.integer({ min: 0, max: 60 }),
    mtpLag: fc.integer({ min: 0, max: 7_200 }),
    cancel: fc.integer({ min: 12, max: 24 }),
    reaction: fc.integer({ min: 1, max: 12 }),
  })
  .map((p): TimeoutPolicy => {
    const fundingWindow = Math.min(Math.floor(p.margin / 2), Math.floor(p.serverLeg / 4));
    const mtpLag = Math.min(p.mtpLag, Math.floor(p.serverLeg / 4));
    return {
      clientLeg: seconds(p.serverLeg + mtpLag + p.margin + fundingWindow + 1 + p.extra),
      serverLeg: seconds(p.serverLeg),
      fundingWindow: seconds(fundingWindow),
      margin: seconds(p.margin),
      longestLeg: seconds(10_000_000),
      routeBlocks: p.routeBlocks + Math.ceil(mtpLag / (p.fast + p.slow)),
      resolveBlocks: p.resolveBlocks,
      slowBlock: seconds(p.fast + p.slow),
      fastBlock: seconds(p.fast),
      mtpLag: seconds(mtpLag),
      lndCancelBlocks: p.cancel,
      reactionBlocks: p.reaction,
      leastClaimTime: seconds(Math.floor(p.serverLeg / 4)),
    };
  });

describe('the policy', () => {
  it('of real networks contradicts itself nowhere', () => {
    expect(policyFaults(defaultPolicy)).toEqual([]);
  });

  it('that contradicts itself is told so, relation by relation', () => {
    const wrong: Partial<TimeoutPolicy>[] = [
      { serverLeg: seconds(23 * hour) },
      { longestLeg: seconds(23 * hour) },
      { clientLeg: seconds(2 * hour), serverLeg: seconds(0), leastClaimTime: seconds(0), margin: seconds(2 * hour) },
      { leastClaimTime: seconds(12 * hour) },
      { mtpLag: seconds(10 * hour) },
      { fundingWindow: seconds(61 * minute) },
      { fastBlock: seconds(800) },
      { fastBlock: seconds(0) },
      { lndCancelBlocks: 11 },
      { reactionBlocks: 0 },
      { routeBlocks: 2 },
    ];
    expect(wrong.map((change) => policyFaults({ ...defaultPolicy, ...change }).length > 0)).toEqual(
      wrong.map(() => true),
    );
  });
});

describe('arkade-lightning: the leg that the client funds', () => {
  it('is (final CLTV + 144 + 32) x 12.5 min + 2 h from the clock that is ahead', () => {
    const finals = [18, 40, 80, 144, 400];
    const lengths = [152_700, 169_200, 199_200, 247_200, 439_200];
    const of = (at: ReadClocks) =>
      finals
        .map((finalCltv) => payout(finalCltv, defaultPolicy, at))
        .map((leg) => [leg.refundLocktime - now, leg.maxTimeoutHeight - height]);
    expect(of(clocks())).toEqual(lengths.map((length, i) => [length, (finals[i] ?? 0) + 144 - 15]));
    expect(of(clocks({ mtp: -hour }))).toEqual(lengths.map((length, i) => [length, (finals[i] ?? 0) + 144 - 10]));
    expect(of(clocks({ wall: -12 * hour }))).toEqual(of(clocks()));
    expect(of(clocks({ mtp: -3 * hour }))).toEqual(lengths.map((length, i) => [length, (finals[i] ?? 0) + 144]));
  });

  it('is never shorter than the least leg of the policy', () => {
    const short = { ...defaultPolicy, routeBlocks: 3, resolveBlocks: 0 };
    expect(payout(18, short)).toMatchObject({ refundLocktime: now + day, maxTimeoutHeight: height + 91 });
  });

  it('of an invoice that needs more than seven days is refused, with the largest delta that fits', () => {
    expect(payout(620).refundLocktime - now).toBeLessThanOrEqual(7 * day);
    expect(payoutLeg({ clocks: clocks(), finalCltv: 621, policy: defaultPolicy })).toMatchObject({
      refusal: 'invalid',
      sentence: expect.stringMatching(/621 blocks; at most 620 fit/),
    });
  });

  it('outlives a payment started at the last moment whose every block came slowly', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 2_000 }), (policy, finalCltv) => {
        expect(policyFaults(policy)).toEqual([]);
        const leg = payout(finalCltv, policy);
        const lastHeight = leg.maxTimeoutHeight + (policy.resolveBlocks ?? 0);
        const latestEnd = leg.payBefore + (lastHeight - height) * policy.slowBlock;
        expect(latestEnd).toBeLessThanOrEqual(leg.refundLocktime);
        expect(leg.maxTimeoutHeight).toBeGreaterThanOrEqual(height + finalCltv + finalHopPadding);
      }),
    );
  });

  it('leaves a later payment fewer blocks, and one past the margin none', () => {
    const refundLocktime = unix(now + (100 + 32) * 750 + defaultPolicy.mtpLag + defaultPolicy.margin);
    const heights = [0, 1, 750, 99 * 750 + 1, 100 * 750, 200 * 750].map(
      (later) =>
        payHeight({
          clocks: clocks({ mtp: later, wall: -9 * later }),
          sure: vhtlcSpan(refundLocktime),
          policy: defaultPolicy,
        }) - height,
    );
    expect(heights).toEqual([100, 99, 99, 0, 0, 0]);
  });
});

describe('evm-lightning: the leg that the client locks on an EVM chain', () => {
  const network = 'evm:137';
  const chain = { mtp: unix(now - 4) };

  it('is as long as on Arkade, from the later of wall and that chain, whatever Bitcoin says', () => {
    const of = (wall: number, mtp: number, evm: number) => {
      const leg = payoutLeg({
        clocks: { ...clocks({ wall, mtp }), [network]: { mtp: unix(now + evm), height: 1 } },
        network,
        finalCltv: 80,
        policy: defaultPolicy,
      });
      return isRefusal(leg) ? leg : [leg.refundLocktime - now, leg.maxTimeoutHeight - height, leg.payBefore - now];
    };
    expect([of(0, 0, 0), of(0, -9 * hour, 0), of(-9 * hour, 0, 0), of(0, 9 * hour, -3 * hour)]).toEqual([
      [199_200, 209, 90 * minute],
      [199_200, 209, 90 * minute],
      [199_200, 209, 90 * minute],
      [199_200, 224, 90 * minute - 3 * hour],
    ]);
  });

  it('leaves a later payment the blocks that are left by its own clock, the furthest reading of it', () => {
    const refundLocktime = unix(now + (100 + 32) * 750 + defaultPolicy.mtpLag + defaultPolicy.margin);
    const sure = lockSpan(network, refundLocktime);
    const heights = [chain, { mtp: unix(now + 750) }, { ...chain, ahead: { mtp: unix(now + 7_500), height: null } }];
    expect(
      heights.map(
        (evm) =>
          payHeight({ clocks: { ...clocks(), [network]: { height: 1, ...evm } }, sure, policy: defaultPolicy }) -
          height,
      ),
    ).toEqual([100, 99, 90]);
  });
});

describe('lightning-arkade: the hold invoice and the VHTLC against it', () => {
  it('has these numbers by default', () => {
    const leg = held();
    expect({
      ...leg,
      vhtlcRefundLocktime: leg.vhtlcRefundLocktime - now,
      fundBefore: leg.fundBefore - now,
      lockBefore: leg.lockBefore - now,
      minCoinExpiry: leg.minCoinExpiry - now,
    }).toEqual({
      vhtlcRefundLocktime: 12 * hour,
      fundBefore: 30 * minute,
      lockBefore: 7 * hour,
      // 196 blocks by chance for 12 h + 3 h + 2 h, 18 of lnd, 6 to react.
      minHoldBlocks: 220,
      cltvDelta: 226,
      stopBlocks: 24,
      minCoinExpiry: 17 * hour,
    });
  });

  it('holds the payment, even when every block comes fast, until the refund of the VHTLC is over', () => {
    fc.assert(
      fc.property(policies, fc.double({ min: 0, max: 1, noNaN: true }), (policy, part) => {
        const leg = held(policy);
        const locked = unix(now + Math.floor(part * (leg.lockBefore - now)));
        const given = vhtlcSpan(leg.vhtlcRefundLocktime);
        const expiryHeight = height + (holdBlocks({ clocks: clocks({ mtp: locked - now }), given, policy }) ?? 0);
        const lineReachedAt = locked + shortestFor(stopLine(expiryHeight, policy) - height, policy);
        expect(lineReachedAt).toBeGreaterThanOrEqual(leg.vhtlcRefundLocktime + policy.mtpLag + policy.margin);
        expect(stopLine(expiryHeight, policy)).toBeLessThan(expiryHeight - policy.lndCancelBlocks);
        expect(leg.minHoldBlocks).toBeGreaterThanOrEqual(expiryHeight - height);
        expect(leg.cltvDelta).toBeGreaterThan(leg.minHoldBlocks);
      }),
    );
  });

  it('asks for no smaller delta than lnd lets an invoice have, however short the legs are', () => {
    const leastDelta = { '0.20': 18, '0.21': 24 };
    const shortest = {
      ...defaultPolicy,
      serverLeg: seconds(0),
      margin: seconds(0),
      mtpLag: seconds(0),
      leastClaimTime: seconds(0),
      fundingWindow: seconds(0),
    };
    expect(held(shortest).cltvDelta).toBeGreaterThanOrEqual(Math.max(...Object.values(leastDelta)));
  });

  it('leaves a client who is served at the last moment the least time to claim', () => {
    const leg = held();
    expect(leg.vhtlcRefundLocktime - leg.lockBefore).toBe(defaultPolicy.leastClaimTime + defaultPolicy.mtpLag);
    expect(leg.fundBefore).toBeLessThan(leg.lockBefore);
  });

  it('counts the VHTLC from the clock that is behind, and the payment from the chain’s alone', () => {
    const legs = [clocks({ mtp: -hour }), clocks({ wall: 14 * hour }), clocks({ wall: -15 * minute })].map((at) => {
      const leg = held(defaultPolicy, at);
      return [leg.vhtlcRefundLocktime - at.bitcoin.mtp, leg.minHoldBlocks, leg.fundBefore - at.wall];
    });
    expect(legs).toEqual([
      [12 * hour, 220, 1_800],
      [12 * hour, 220, 1_800],
      [12 * hour - 900, 217, 1_800],
    ]);
  });

  it('is refused where the wall is so far behind that nobody could claim', () => {
    const wall = -(
      defaultPolicy.serverLeg -
      defaultPolicy.mtpLag -
      defaultPolicy.leastClaimTime -
      defaultPolicy.fundingWindow
    );
    expect(
      [
        holdLeg({ clocks: clocks({ wall }), policy: defaultPolicy }),
        holdLeg({ clocks: clocks({ wall: wall - 1 }), policy: defaultPolicy }),
      ].map(isRefusal),
    ).toEqual([false, true]);
  });
});

describe('the delays of a VHTLC', () => {
  it('climb from the operator’s exit delay in multiples of 512 seconds', () => {
    expect(
      [512, 86_400, 86_528].map((exitDelay) =>
        vhtlcDelays({ exitDelay: seconds(exitDelay), leg: seconds(day), policy: defaultPolicy }),
      ),
    ).toEqual([
      { claimDelay: 512, refundDelay: 1_024, refundWithoutReceiverDelay: 95_744 },
      { claimDelay: 86_528, refundDelay: 173_056, refundWithoutReceiverDelay: 259_584 },
      { claimDelay: 86_528, refundDelay: 173_056, refundWithoutReceiverDelay: 259_584 },
    ]);
  });

  it('never let the sender leave by the last leaf before the locktime', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 200_000 }),
        fc.integer({ min: 1, max: 600_000 }),
        (policy, exitDelay, leg) => {
          const delays = vhtlcDelays({ exitDelay: seconds(exitDelay), leg: seconds(leg), policy });
          expect(delays.refundWithoutReceiverDelay).toBeGreaterThanOrEqual(leg + policy.fundingWindow);
          expect([delays.claimDelay % 512, delays.refundDelay % 512, delays.refundWithoutReceiverDelay % 512]).toEqual([
            0, 0, 0,
          ]);
          expect(delays.claimDelay).toBeGreaterThanOrEqual(exitDelay);
          expect(
            delays.claimDelay <= delays.refundDelay && delays.refundDelay <= delays.refundWithoutReceiverDelay,
          ).toBe(true);
        },
      ),
    );
    expect([0, 1, 512, 513].map(ceil512)).toEqual([0, 512, 512, 1_024]);
  });
});

describe('the clocks', () => {
  function read(wall: number, mtp: number): ReadClocks {
    return { wall: unix(wall), bitcoin: { mtp: unix(mtp), height } };
  }

  function unread(wall: number): Clocks {
    return { wall: unix(wall), bitcoin: { mtp: null, height: null } };
  }

  it('give the one that is ahead and the one that is behind, and how late it can be by the chain', () => {
    expect([
      laterOf(read(100, 90)),
      laterOf(read(90, 100)),
      laterOf(unread(100)),
      earlierOf(read(100, 90)),
      earlierOf(read(90, 100)),
    ]).toEqual([100, 100, 100, 90, 90]);
    expect([read(0, 90), read(1_000_000, 90)].map((at) => latestByChain(at.bitcoin, defaultPolicy))).toEqual([
      90 + 3 * hour,
      90 + 3 * hour,
    ]);
  });

  it('open a locktime only when median time past is above it (BIP-113)', () => {
    const start = 1_760_000_000;
    expect(
      [read(start + 1_000_000, start - 1), read(start + 1_000_000, start), read(0, start + 1), unread(start)].map(
        (at) => locktimePassed(unix(start), at.bitcoin),
      ),
    ).toEqual([false, false, true, false]);
  });
});
