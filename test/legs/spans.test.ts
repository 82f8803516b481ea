import { describe, expect, test } from 'vitest';
import { height as heightOf, hour, unix, type ReadClocks } from '../../engine/domain/time.ts';
import { longestFor, shortestFor } from '../../engine/legs/block-times.ts';
import { holdBlocks, holdSpan, payHeight, stopLine } from '../../engine/legs/lightning/timelocks.ts';
import { safeToGive } from '../../engine/legs/safety/give.ts';
import { outlives, type Pair } from '../../engine/legs/safety/outlives.ts';
import { clientLegFor, htlcSpan, lockSpan, paymentSpan, vhtlcSpan } from '../../engine/legs/spans.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';

/*
 * Every pair of networks that a swap may join, those that no direction has yet among them, is judged by one function.
 * What it has to say is told here by what happens in the world: each clock trails true time by nothing or by its whole
 * lag, now and at the end of its leg, and blocks come fast or slowly.
 */

const now = 1_800_000_000;
const height = 900_000;
const network = 'evm:137';
const { mtpLag, margin, fastBlock, slowBlock, resolveBlocks = 0 } = policy;

/** A clock that is read now, and where it is at the end of a leg. */
interface World {
  /** Behind true time, in seconds. */
  readonly trails: number;
  readonly trailsLater: number;
  readonly block: number;
}
const worlds: readonly World[] = [0, mtpLag].flatMap((trails) =>
  [0, mtpLag].flatMap((trailsLater) => [fastBlock, slowBlock].map((block) => ({ trails, trailsLater, block }))),
);

type Leg = (at: number) => { readonly span: Pair['sure'] & Pair['given']; ends(world: World): number };

/** A leg by its end: seconds from now for time, blocks from now for a height; and when it ends by true time. */
const legs = {
  VHTLC: (at) => ({ span: vhtlcSpan(unix(now + at)), ends: ({ trailsLater }) => now + at + trailsLater }),
  HTLC: (at) => ({ span: htlcSpan(unix(now + at)), ends: ({ trailsLater }) => now + at + trailsLater }),
  // Of its blocks at once, as they come but once in a million times.
  'HTLC by height': (at) => ({
    span: htlcSpan(heightOf(height + at)),
    ends: ({ block }) => now + (block === slowBlock ? longestFor(at, policy) : shortestFor(at, policy)),
  }),
  'EVM lock': (at) => ({ span: lockSpan(network, unix(now + at)), ends: ({ trailsLater }) => now + at + trailsLater }),
  'held payment': (at) => ({
    span: { ...holdSpan(height + at, policy), claimableUntil: 0 },
    ends: ({ block }) => {
      const blocks = stopLine(height + at, policy) - height;
      return now + (block === slowBlock ? longestFor(blocks, policy) : shortestFor(blocks, policy));
    },
  }),
  payment: (at) => ({
    span: { name: '', surelyOursUntil: 0, ...paymentSpan(height + at, policy) },
    ends: ({ block }) => now + (at + resolveBlocks) * block,
  }),
} satisfies Readonly<Record<string, Leg>>;
type Name = keyof typeof legs;

const pairs: readonly (readonly [direction: string, sure: Name, given: Name])[] = [
  ['Lightning to Arkade', 'held payment', 'VHTLC'],
  ['Arkade to EVM', 'VHTLC', 'EVM lock'],
  ['EVM to Bitcoin', 'EVM lock', 'HTLC'],
  ['Bitcoin to Arkade', 'HTLC', 'VHTLC'],
  ['Arkade to Lightning', 'VHTLC', 'payment'],
  ['EVM to Lightning', 'EVM lock', 'payment'],
  ['Lightning to EVM', 'held payment', 'EVM lock'],
  ['Bitcoin to EVM', 'HTLC', 'EVM lock'],
  ['EVM to Arkade', 'EVM lock', 'VHTLC'],
  ['Lightning to Bitcoin', 'held payment', 'HTLC by height'],
  ['Bitcoin to Lightning', 'HTLC by height', 'payment'],
  ['Arkade to Bitcoin', 'VHTLC', 'HTLC by height'],
  ['Lightning to Bitcoin, by a time', 'held payment', 'HTLC'],
  ['Bitcoin to Lightning, by a time', 'HTLC', 'payment'],
  ['Arkade to Bitcoin, by a time', 'VHTLC', 'HTLC'],
  ['Bitcoin to Arkade, by a height', 'HTLC by height', 'VHTLC'],
  ['Bitcoin to EVM, by a height', 'HTLC by height', 'EVM lock'],
  ['EVM to Bitcoin, by a height', 'EVM lock', 'HTLC by height'],
];

const inBlocks: ReadonlySet<Name> = new Set(['held payment', 'payment', 'HTLC by height']);
/** Both by the height of one tip: whatever blocks take, the one comes so many after the other. */
const areHeights = (sure: Name, given: Name): boolean => inBlocks.has(sure) && inBlocks.has(given);
/** The heights at which a leg that is surely ours ends, and one that we give: counted from the tip. */
const endsAt = (name: Name, at: number): number =>
  name === 'held payment' ? stopLine(height + at, policy) - height : name === 'payment' ? at + resolveBlocks : at;

const isOneClock = (sure: Name, given: Name): boolean => legs[sure](0).span.clock === legs[given](0).span.clock;

/** What both clocks read, each trailing by its own. */
function clocksIn(ofSure: World, ofGiven: World, sure: Name): ReadClocks {
  const onEvm = sure === 'EVM lock' ? ofSure : ofGiven;
  const onBitcoin = sure === 'EVM lock' ? ofGiven : ofSure;
  // A payment has no clock of time: the other leg's counts.
  const bitcoin = inBlocks.has(sure) ? ofGiven : onBitcoin;
  return {
    wall: unix(now),
    bitcoin: { mtp: unix(now - bitcoin.trails), height },
    [network]: { mtp: unix(now - onEvm.trails), height: 1 },
  };
}

describe('one function judges every pair', () => {
  test.each(pairs)('%s', (_, sure, given) => {
    const isInBlocks = inBlocks.has(sure);
    const open = given === 'payment' ? 40 : given === 'HTLC by height' ? 72 : 12 * hour;
    const ours = legs[given](open);
    const judge = (at: number, ofSure: World, ofGiven: World) =>
      outlives({ sure: legs[sure](at).span, given: ours.span }, clocksIn(ofSure, ofGiven, sure), policy);
    for (const ofSure of worlds)
      for (const ofGiven of worlds) {
        // The shortest that is called safe.
        let [low, high] = [0, isInBlocks ? 2_000 : 200 * hour];
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2);
          if (judge(middle, ofSure, ofGiven) === null) high = middle;
          else low = middle;
        }
        expect(judge(high, ofSure, ofGiven)).toBeNull();
        // Whatever comes, ours is final before theirs may be gone. On one clock both trail alike.
        if (areHeights(sure, given))
          expect((endsAt(sure, high) - endsAt(given, open)) * fastBlock).toBeGreaterThanOrEqual(margin);
        else
          for (const later of worlds)
            for (const meanwhile of isOneClock(sure, given) ? [later] : worlds)
              expect(legs[sure](high).ends(later)).toBeGreaterThanOrEqual(ours.ends(meanwhile) + margin);
        const unsafe = judge(low, ofSure, ofGiven)?.unsafe;
        const mayHeal = !isOneClock(sure, given) && !isInBlocks && !inBlocks.has(given);
        expect(unsafe).toBe(mayHeal ? 'wait' : 'never');
      }
  });

  test.each(pairs)('%s: nothing is asked for that could not happen', (_, sure, given) => {
    const open = given === 'payment' ? 40 : given === 'HTLC by height' ? 72 : 12 * hour;
    const ours = legs[given](open);
    // True time is as late as the readings allow for theirs, and as early for ours.
    const late: World = { trails: mtpLag, trailsLater: 0, block: fastBlock };
    const early: World = { trails: 0, trailsLater: mtpLag, block: slowBlock };
    const trailsLater = isOneClock(sure, given) ? 0 : mtpLag;
    const needed = ours.ends({ ...early, trailsLater }) + margin - now;
    const blocks = areHeights(sure, given)
      ? endsAt(given, open) + Math.ceil(margin / fastBlock)
      : blocksIn(sure, needed);
    const { lndCancelBlocks, reactionBlocks } = policy;
    const beyond = sure === 'held payment' ? lndCancelBlocks + reactionBlocks : 0;
    const at = inBlocks.has(sure) ? blocks + beyond : needed;
    const trailing = clocksIn(late, early, sure);
    const judge = (of: number) => outlives({ sure: legs[sure](of).span, given: ours.span }, trailing, policy);
    expect([judge(at), judge(at - 1)?.unsafe]).toEqual([null, expect.any(String)]);
  });
});

/** The fewest blocks of a leg that surely take so long. */
function blocksIn(name: Name, span: number): number {
  if (name === 'payment') return Math.ceil(span / fastBlock);
  let blocks = 1;
  while (shortestFor(blocks, policy) < span) blocks += 1;
  return blocks;
}

describe('two heights are compared as heights, at the border and one block to either side', () => {
  const at = (tip: number): ReadClocks => ({ wall: unix(now), bitcoin: { mtp: unix(now), height: tip } });
  const beyond = Math.ceil(margin / fastBlock);
  const coin = htlcSpan(heightOf(height + 72));

  test.each([0, 40, 71])('however many blocks have come since: %i', (come) => {
    const held = (more: number) =>
      outlives({ sure: holdSpan(height + 72 + beyond + 24 + more, policy), given: coin }, at(height + come), policy)
        ?.unsafe ?? 'safe';
    expect([-1, 0, 1].map(held)).toEqual(['never', 'safe', 'safe']);
    const paid = (more: number) =>
      outlives(
        { sure: coin, given: paymentSpan(height + 72 - beyond - resolveBlocks + more, policy) },
        at(height + come),
        policy,
      )?.unsafe ?? 'safe';
    expect([-1, 0, 1].map(paid)).toEqual(['safe', 'safe', 'never']);
  });

  test('a client has its time for a coin of ours in blocks that come fast, to the block', () => {
    const least = Math.ceil(policy.leastClaimTime / fastBlock);
    const give = (left: number) =>
      safeToGive({ looks: [], sure: holdSpan(height + 500, policy), given: coin }, at(height + 72 - left), policy)
        ?.unsafe ?? 'safe';
    expect([least + 1, least, least - 1].map(give)).toEqual(['safe', 'safe', 'never']);
  });
});

describe('what is asked of the comparison the other way round', () => {
  const clocks: ReadClocks = {
    wall: unix(now),
    bitcoin: { mtp: unix(now - hour), height, ahead: { mtp: unix(now - 600), height: height + 1 } },
    [network]: { mtp: unix(now - 4), height: 1 },
  };

  test.each([
    ['a VHTLC', vhtlcSpan(unix(now + 48 * hour))],
    ['a coin on the Bitcoin chain', htlcSpan(unix(now + 30 * hour + 7))],
    ['a lock on an EVM chain', lockSpan(network, unix(now + 48 * hour + 1))],
    ['a coin that ends at a height', htlcSpan(heightOf(height + 200))],
  ])('the height that lnd is given for %s is the last that it outlives', (_, sure) => {
    const limit = payHeight({ clocks, sure, policy });
    const judge = (at: number) => outlives({ sure, given: paymentSpan(at, policy) }, clocks, policy)?.unsafe ?? 'safe';
    expect(limit).toBeGreaterThan(height);
    expect([judge(limit), judge(limit + 1)]).toEqual(['safe', 'never']);
  });

  test.each([
    ['a VHTLC', vhtlcSpan(unix(now + 12 * hour))],
    ['a coin on the Bitcoin chain', htlcSpan(unix(now + 12 * hour + 1))],
    ['a lock on an EVM chain', lockSpan(network, unix(now + 11 * hour))],
    ['a coin that ends at a height', htlcSpan(heightOf(height + 72))],
  ])('the blocks for which a payment is held for %s are the fewest by which it outlives that', (_, given) => {
    const blocks = holdBlocks({ clocks, given, policy }) ?? 0;
    const tip = height + 1;
    const judge = (held: number) =>
      outlives({ sure: holdSpan(tip + held, policy), given }, clocks, policy)?.unsafe ?? 'safe';
    expect([judge(blocks), judge(blocks - 1)]).toEqual(['safe', 'never']);
    const { [network]: _evm, ...unread } = clocks;
    expect(holdBlocks({ clocks: unread, given, policy }) === null).toBe(given.clock === network);
  });

  test('a leg that is made as long as it has to be outlives ours for all of the funding window', () => {
    const clocksAfter = (waited: number, trails: number): ReadClocks => ({
      wall: unix(now + waited),
      bitcoin: { mtp: unix(now + waited - trails), height },
      [network]: { mtp: unix(now + waited), height: 1 },
    });
    const tight = { ...policy, clientLeg: policy.serverLeg };
    for (const [sure, given] of [
      ['bitcoin', network],
      [network, 'bitcoin'],
      ['bitcoin', 'bitcoin'],
    ] as const) {
      const span = (clock: typeof sure, at: number) =>
        clock === 'bitcoin' ? vhtlcSpan(unix(at)) : lockSpan(clock, unix(at));
      const pair = {
        sure: span(sure, now + clientLegFor({ sure, given }, tight)),
        given: span(given, now + policy.serverLeg),
      };
      for (const waited of [0, policy.fundingWindow])
        for (const trails of [0, mtpLag]) expect(outlives(pair, clocksAfter(waited, trails), tight)).toBeNull();
      const shorter = { ...pair.sure, surelyOursUntil: pair.sure.surelyOursUntil - mtpLag - policy.fundingWindow - 1 };
      expect(outlives({ ...pair, sure: shorter }, clocksAfter(policy.fundingWindow, mtpLag), tight)).toEqual(
        sure === given ? expect.objectContaining({ unsafe: 'never' }) : expect.anything(),
      );
    }
  });
});
