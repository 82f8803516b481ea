import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import {
  height as heightOf,
  hour,
  isRead,
  seconds,
  unix,
  type Clocks,
  type ReadClocks,
} from '../../engine/domain/time.ts';
import { longestFor } from '../../engine/legs/block-times.ts';
import { legsForVhtlc, type VhtlcCoinLegs } from '../../engine/legs/onchain/timelocks.ts';
import { safeToFundForVhtlc } from '../../engine/legs/safety/lock.ts';
import { defaultPolicy, type TimeoutPolicy } from '../../engine/legs/timeout-policy.ts';
import { clocks, now, type Skews } from './skewed-clocks.ts';

const policy = defaultPolicy;
const tip = 900_000;
/** As short as a policy may have the client's leg: what is longer by default would hide what is too short. */
const tight: TimeoutPolicy = { ...policy, clientLeg: seconds(policy.serverLeg + policy.margin) };
/** What of the VHTLC is beyond our HTLC, before a block of its own takes longer than it should. */
const beyond = policy.fundingWindow + hour + policy.mtpLag + policy.margin;

function legs(at: ReadClocks = clocks(), of = policy): VhtlcCoinLegs {
  const made = legsForVhtlc({ clocks: at, policy: of });
  if (isRefusal(made)) throw new Error(made.sentence);
  return made;
}

/** So many seconds and blocks later, every clock right. */
function later(waits: number, blocks: number, skews: Skews = {}): ReadClocks {
  const at = clocks({ wall: waits, bitcoin: waits, ...skews });
  return { ...at, bitcoin: { ...at.bitcoin, height: heightOf(tip + blocks) } };
}

function coinOf(minCoinExpiry: number) {
  const expiresAt = unix(minCoinExpiry);
  return { amount: sats(1_000), expiresAt, recoverable: false, unrolled: false, spent: false };
}

function judge(
  { refundLocktime, htlcRefundHeight, minCoinExpiry }: VhtlcCoinLegs,
  at: Clocks,
  change: Partial<Parameters<typeof safeToFundForVhtlc>[0]> = {},
  of = policy,
) {
  const coin = coinOf(minCoinExpiry);
  const fund = { coin, sourceAmount: sats(1_000), refundLocktime, htlcRefundLocktime: htlcRefundHeight, ...change };
  return safeToFundForVhtlc(fund, at, of)?.unsafe ?? 'safe';
}

describe('arkade-bitcoin: an HTLC that ends at a height, for a VHTLC that ends at a time', () => {
  test('ours opens after 72 blocks, the VHTLC after they came as slowly as they do once in a million', () => {
    const { htlcRefundHeight, refundLocktime, lockBefore, fundBefore, minCoinExpiry } = legs();
    expect(htlcRefundHeight - tip).toBe(72);
    expect(refundLocktime - now).toBe(longestFor(72, policy) + beyond);
    expect([lockBefore - now, fundBefore - now, minCoinExpiry - refundLocktime].map((span) => span / hour)).toEqual([
      7, 0.5, 2,
    ]);
  });

  test('the VHTLC lives for the client’s leg at the least, whatever is needed', () => {
    const long = { ...policy, clientLeg: seconds(72 * hour) };
    expect(legs(clocks(), long).refundLocktime - now).toBe(72 * hour);
    expect(legs(clocks(), tight)).toEqual(legs());
  });

  test('is safe for the funding window and an hour although no block comes, and not a second longer', () => {
    const last = policy.fundingWindow + hour;
    const made = legs(clocks(), tight);
    const verdicts = [0, policy.fundingWindow, last, last + 1].map((waits) => judge(made, later(waits, 0), {}, tight));
    expect(verdicts).toEqual(['safe', 'safe', 'safe', 'never']);
  });

  test('the client has its time in blocks that come fast, to the block, and what is late is not begun', () => {
    const { htlcRefundHeight } = legs();
    const least = Math.ceil(policy.leastClaimTime / policy.fastBlock);
    const left = (blocks: number) => judge(legs(), later(0, htlcRefundHeight - tip - blocks));
    expect([least + 1, least, least - 1].map(left)).toEqual(['safe', 'safe', 'never']);
  });

  test('waits for the clock and for sources that agree, and gives nothing for a coin that does not hold', () => {
    const made = legs();
    const { bitcoin, ...rest } = clocks();
    const coin = coinOf(made.minCoinExpiry);
    expect([
      judge(made, { ...rest, bitcoin: { mtp: null, height: tip } }),
      judge(made, { ...rest, bitcoin: { mtp: unix(now), height: null } }),
      judge(made, { ...rest, bitcoin: { ...bitcoin, doubt: 'two nodes differ' } }),
    ]).toEqual(['wait', 'wait', 'wait']);
    const bad = [
      { amount: sats(999) },
      { spent: true },
      { recoverable: true },
      { unrolled: true },
      { expiresAt: unix(made.minCoinExpiry - 1) },
    ];
    expect(bad.map((change) => judge(made, clocks(), { coin: { ...coin, ...change } }))).toEqual(
      bad.map(() => 'never'),
    );
    expect(judge(made, clocks(), { coin })).toBe('safe');
  });

  test('clocks that are too far apart begin nothing', () => {
    const far = [clocks({ wall: -14 * hour }), clocks({ bitcoin: 7 * hour })];
    expect(far.map((at) => legsForVhtlc({ clocks: at, policy }))).toEqual(
      far.map(() => expect.objectContaining({ refusal: 'unavailable' })),
    );
  });

  test('a source that has fewer blocks gives ours no less time, one that is further on the VHTLC no more', () => {
    const behind = (height: number): ReadClocks => {
      const { bitcoin, ...rest } = later(0, 0);
      return { ...rest, bitcoin: { ...bitcoin, height: heightOf(height), ahead: { mtp: unix(now), height: tip } } };
    };
    // The VHTLC was made for 72 blocks from a tip that everybody had.
    expect([tip, tip - 1, tip - 20].map((height) => judge(legs(clocks(), tight), behind(height), {}, tight))).toEqual([
      'safe',
      'safe',
      'never',
    ]);
    const ahead = { ...later(0, 0).bitcoin, ahead: { mtp: unix(now + 2 * hour), height: tip } };
    expect(judge(legs(clocks(), tight), { ...later(0, 0), bitcoin: ahead }, {}, tight)).toBe('never');
  });

  test('fault 60, bitcoin: whatever the clocks were, our refund is final before theirs opens', () => {
    const skew = fc.integer({ min: -14 * hour, max: 14 * hour });
    const lag = fc.integer({ min: 0, max: policy.mtpLag });
    const waits = fc.integer({ min: 0, max: 8 * hour });
    const blocks = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(skew, lag, lag, waits, blocks, (wall, mtp, mtpLater, waited, come) => {
        const made = legsForVhtlc({ clocks: clocks({ wall, bitcoin: -mtp }), policy: tight });
        fc.pre(!isRefusal(made));
        const at = later(0, come, { wall: wall + waited, bitcoin: waited - mtpLater });
        fc.pre(isRead(at) && judge(made, at, {}, tight) === 'safe');
        // By true time the VHTLC opens no sooner than its locktime says; ours after its blocks, but once in a million.
        const left = made.htlcRefundHeight - tip - come;
        expect(made.refundLocktime).toBeGreaterThanOrEqual(now + waited + longestFor(left, policy) + policy.margin);
      }),
      { numRuns: 1_000 },
    );
  });
});
