import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { expectedAt, height as heightOf, laterOf, seconds, unix, type ReadClocks } from '../../engine/domain/time.ts';
import { evmLockLegs } from '../../engine/legs/evm/timelocks.ts';
import { coinLockLegs, legsForCoin, legsForLock, legsForVhtlc } from '../../engine/legs/onchain/timelocks.ts';
import { endsAfter, outlives } from '../../engine/legs/safety/outlives.ts';
import { lockSpan, vhtlcSpan } from '../../engine/legs/spans.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { fromArkade, toArkade } from '../../engine/taker/sides/arkade.ts';
import { fromBitcoin, toBitcoin } from '../../engine/taker/sides/bitcoin.ts';
import { toBitcoinByTime } from '../../engine/taker/sides/bitcoin-by-time.ts';
import { wrongEnds } from '../../engine/taker/sides/ends.ts';
import { fromEvm, toEvm } from '../../engine/taker/sides/evm.ts';
import { fromLightning } from '../../engine/taker/sides/lightning.ts';

/*
 * The order of both timelocks of an offer, with the comparison that each direction made by hand before as the oracle:
 * at every border, and one to either side, one function says what all of them said.
 */

const now = 1_800_000_000;
const tip = 900_000;
const network = 'evm:137';
const { longestLeg, mtpLag, serverLeg } = policy;

interface Ends {
  readonly vhtlc_refund_locktime: number;
  readonly btc_refund_locktime: number;
  readonly evm_refund_locktime: number;
}
type Name = keyof Ends;
type Former = (ends: Ends, clocks: ReadClocks, isRestored: boolean) => boolean;

const [vhtlc, coin, lock] = ['vhtlc_refund_locktime', 'btc_refund_locktime', 'evm_refund_locktime'] as const;

const pairs: Readonly<Record<string, { of: object; ours: Name | null; theirs: Name; former: Former }>> = {
  'evm-arkade': {
    ...{ of: { source: fromEvm, target: toArkade }, ours: lock, theirs: vhtlc },
    former: (ends) => ends[lock] > ends[vhtlc],
  },
  'evm-bitcoin': {
    ...{ of: { source: fromEvm, target: toBitcoinByTime }, ours: lock, theirs: coin },
    former: (ends) => ends[lock] > ends[coin],
  },
  'arkade-evm': {
    ...{ of: { source: fromArkade, target: toEvm }, ours: vhtlc, theirs: lock },
    former: (ends) => ends[lock] < ends[vhtlc],
  },
  'bitcoin-arkade': {
    ...{ of: { source: fromBitcoin('server_vhtlc_pk'), target: toArkade }, ours: coin, theirs: vhtlc },
    former: (ends) => ends[coin] > ends[vhtlc],
  },
  'bitcoin-evm': {
    ...{ of: { source: fromBitcoin('btc_server_pk'), target: toEvm }, ours: coin, theirs: lock },
    former: (ends) => ends[coin] > ends[lock],
  },
  'arkade-bitcoin': {
    ...{ of: { source: fromArkade, target: toBitcoin }, ours: vhtlc, theirs: coin },
    former: (ends, clocks, isRestored) => isRestored || (expectedAt(heightOf(ends[coin]), clocks) ?? 0) < ends[vhtlc],
  },
  'lightning-arkade': {
    ...{ of: { source: fromLightning(''), target: toArkade }, ours: null, theirs: vhtlc },
    former: (ends, clocks) => ends[vhtlc] <= laterOf(clocks) + longestLeg,
  },
  'lightning-evm': {
    ...{ of: { source: fromLightning(''), target: toEvm }, ours: null, theirs: lock },
    former: (ends, clocks) => ends[lock] <= clocks.wall + longestLeg,
  },
};

function clocksBy(wall: number, mtp: number, evm: number, ahead = 0): ReadClocks {
  const bitcoin = { mtp: unix(mtp), height: tip };
  return {
    wall: unix(wall),
    bitcoin: ahead === 0 ? bitcoin : { ...bitcoin, ahead: { mtp: unix(mtp + ahead), height: tip + 9 } },
    [network]: { mtp: unix(evm), height: 1 },
  };
}

const clocks: Readonly<Record<string, ReadClocks>> = {
  'read alike': clocksBy(now, now, now),
  'as they trail': clocksBy(now, now - 3_600, now - 4),
  'by another reading': clocksBy(now, now - 9_000, now, 5_000),
  'an EVM chain ahead': clocksBy(now, now - 3_600, now + 40_000),
  'a wall behind': clocksBy(now - 2 * 86_400, now, now),
};
const clockNames = Object.keys(clocks);

function isRight(of: object, ends: Partial<Ends>, at: ReadClocks, isRestored: boolean): boolean {
  const terms = { policy, chain: network, ...(isRestored ? { restored: at.wall } : {}) };
  return wrongEnds(of as never, ends, terms as never, at) === null;
}

describe.each(Object.entries(pairs))('%s', (direction, { of, ours, theirs, former }) => {
  test.each(clockNames)('says what its own comparison said: %s', (name) => {
    const at = clocks[name]!;
    const isByHeight = direction === 'arkade-bitcoin';
    const far = [0, serverLeg, 2 * serverLeg, longestLeg, longestLeg + mtpLag];
    const starts = [at.wall, at.bitcoin.mtp, at[network]!.mtp!, laterOf(at)];
    const moments = far.flatMap((span) => starts.map((start) => start + span));
    const differing: string[] = [];
    const borders = isByHeight ? [0, 1, 72, 144, 1_008].map((blocks) => tip + blocks) : moments;
    for (const border of borders) {
      const same = isByHeight ? (expectedAt(heightOf(border), at) ?? 0) : border;
      for (const isRestored of [false, true])
        for (const [own, their] of [-1, 0, 1].flatMap((a) => [-1, 0, 1].map((b) => [same + a, border + b] as const))) {
          const ends = { [theirs]: their, ...(ours === null ? {} : { [ours]: own }) };
          const [is, was] = [isRight(of, ends, at, isRestored), former(ends as never, at, isRestored)];
          // A payment to Arkade is held by the wall alone, which says no later end than the later of both clocks did.
          const isByWall = direction === 'lightning-arkade' && their > at.wall + longestLeg;
          if (is !== (was && !isByWall)) differing.push(`${JSON.stringify(ends)}: ${is}, it was ${was}`);
        }
    }
    expect(differing).toEqual([]);
  });
});

test('no height is compared by a chain that is unread, and no lock on an EVM chain asks for it', () => {
  const unread = { ...clocks['read alike']!, bitcoin: { mtp: null, height: null } } as never;
  const [at, later] = [now + 9_000, now + 9_001];
  const { 'arkade-bitcoin': toCoin, 'arkade-evm': toLock } = pairs;
  expect([
    isRight(toCoin!.of, { [vhtlc]: at, [coin]: tip }, unread, false),
    isRight(toLock!.of, { [vhtlc]: later, [lock]: at }, unread, false),
    isRight(toLock!.of, { [vhtlc]: at, [lock]: at }, unread, false),
  ]).toEqual([false, true, false]);
});

test.each(clockNames)('nothing is refused that a provider makes of its own terms: %s', (name) => {
  const at = clocks[name]!;
  const made = {
    'evm-arkade': legsForLock({ clocks: at, network, policy }),
    'arkade-evm': evmLockLegs({ clocks: at, network, policy }),
    'bitcoin-arkade': legsForCoin({ clocks: at, policy, confirmations: 3 }),
    'bitcoin-evm': coinLockLegs({ clocks: at, network, policy, confirmations: 3 }),
    'arkade-bitcoin': legsForVhtlc({ clocks: at, policy }),
  };
  const records: Readonly<Record<keyof typeof made, (legs: never) => Partial<Ends>>> = {
    'evm-arkade': ({ timelock, htlcRefundLocktime }) => ({ [lock]: timelock, [vhtlc]: htlcRefundLocktime }),
    'arkade-evm': ({ refundLocktime, timelock }) => ({ [vhtlc]: refundLocktime, [lock]: timelock }),
    'bitcoin-arkade': ({ refundLocktime, vhtlcRefundLocktime }) => ({
      [coin]: refundLocktime,
      [vhtlc]: vhtlcRefundLocktime,
    }),
    'bitcoin-evm': ({ refundLocktime, timelock }) => ({ [coin]: refundLocktime, [lock]: timelock }),
    'arkade-bitcoin': ({ refundLocktime, htlcRefundHeight }) => ({ [vhtlc]: refundLocktime, [coin]: htlcRefundHeight }),
  };
  const refused = Object.entries(made).filter(
    ([direction, legs]) =>
      !isRefusal(legs) &&
      !isRight(pairs[direction]!.of, records[direction as keyof typeof made](legs as never), at, false),
  );
  expect(refused.map(([direction]) => direction)).toEqual([]);
});

test('it is another question than whether a leg may be given for the other', () => {
  const pair = (sure: number, given: number) => ({
    sure: vhtlcSpan(unix(sure)),
    given: lockSpan(network, unix(given)),
  });
  const both = (sure: number, given: number, at: ReadClocks) => [
    endsAfter(pair(sure, given), at),
    outlives(pair(sure, given), at, policy) === null,
  ];
  const even = clocks['read alike']!;
  // Of a provider with shorter margins than ours, whose risk that is.
  expect(both(now + 2 * serverLeg, now + serverLeg + seconds(3 * mtpLag), even)).toEqual([true, false]);
  // By a chain whose clock runs ahead a lock seems to be over soon.
  expect(both(now + 60_000, now + 60_001, clocks['an EVM chain ahead']!)).toEqual([false, true]);
});
