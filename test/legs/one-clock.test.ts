import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { day, hour, minute, type ReadClocks, unix } from '../../engine/domain/time.ts';
import { safeToLock } from '../../engine/legs/safety/lock.ts';
import { safeToPay, safeToPayForLock } from '../../engine/legs/safety/pay.ts';
import { holdLeg, payHeight, payoutLeg } from '../../engine/legs/lightning/timelocks.ts';
import { lockSpan, vhtlcSpan } from '../../engine/legs/spans.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';

/*
 * Both directions against a chain that is made block by block: how fast it goes, how far its median time past trails,
 * and how wrong the machine's clock is, at the create and at the act, are anybody's choice. Whatever they are, the
 * outcome is judged by the blocks alone.
 */

const start = 1_800_000_000;
const before = 40;
const startHeight = 900_000;

/** Blocks from `startHeight` on: the true time of each, which is its stamp, and the median time past that it brings. */
interface Chain {
  readonly times: readonly number[];
  readonly mtps: readonly number[];
}

/**
 * A past of blocks that makes median time past trail by about `lag`, the last of them `age` old at `start`; then one
 * every `spacing`.
 */
function chainOf({ lag, age, spacings }: { lag: number; age: number; spacings: readonly number[] }): Chain {
  const gap = Math.max(1, Math.floor((lag - age) / 5));
  const past = Array.from({ length: before }, (_, i) => start - age - (before - 1 - i) * gap);
  const future: number[] = [];
  for (let i = 0, at = start; i < 1_200; i++) {
    at += spacings[i % spacings.length] ?? 600;
    future.push(at);
  }
  const times = [...past, ...future];
  // Stamps that only grow are their own order: the median of eleven is the sixth last.
  return { times, mtps: times.map((_, i) => times[Math.max(0, i - 5)] ?? 0) };
}

/** What a node sees at a moment, its wall wrong by `skew`. */
function clocksOf({ times, mtps }: Chain, at: number, skew: number): ReadClocks {
  const tip = times.findLastIndex((time) => time <= at);
  return { wall: unix(Math.max(0, at + skew)), bitcoin: { mtp: unix(mtps[tip] ?? 0), height: startHeight + tip } };
}

/** The moment at which a height is reached. */
function reached({ times }: Chain, height: number): number {
  const time = times[height - startHeight];
  if (time === undefined) throw new Error(`the chain ends before ${height}`);
  return time;
}

/** The moment from which a locktime lets a transaction into a block: median time past is above it (BIP-113). */
function opens(chain: Chain, locktime: number): number {
  const at = chain.times[chain.mtps.findIndex((mtp) => mtp > locktime)];
  if (at === undefined) throw new Error(`the chain ends before ${locktime}`);
  return at;
}

const skew = fc.oneof(
  fc.constantFrom(0, 14 * hour, 24 * hour, -12 * hour, -14 * minute),
  fc.integer({ min: -30 * day, max: 30 * day }),
  fc.integer({ min: -3 * hour, max: 3 * hour }),
);
/** As slow and as fast as the policy reckons with, and anything between; single blocks are much slower or faster. */
const spacings = fc.oneof(
  fc.integer({ min: policy.fastBlock, max: policy.slowBlock }).map((every) => [every]),
  fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: policy.fastBlock, max: policy.slowBlock }))
    .map(([quick, every]) => [quick, 2 * every - quick]),
);
const moment = fc.record({
  lag: fc.integer({ min: 0, max: policy.mtpLag - 10 * minute }),
  share: fc.double({ min: 0, max: 0.5, noNaN: true }),
  spacings,
  skew,
  leap: fc.oneof(fc.constant(0), skew),
  waits: fc.integer({ min: 0, max: 3 * hour }),
});

function chainIn({ lag, share, spacings }: { lag: number; share: number; spacings: readonly number[] }): Chain {
  return chainOf({ lag, age: Math.floor(lag * share), spacings });
}

test('fault 45: whatever the wall says, our refund of a VHTLC opens before lnd gives the payment up', () => {
  let locked = 0;
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 2 }), (given, extra) => {
      const chain = chainIn(given);
      const leg = holdLeg({ clocks: clocksOf(chain, start, given.skew), policy });
      if (isRefusal(leg)) return;
      const at = start + given.waits;
      // The payer counts from the height at which it pays, and may add a few blocks of its own.
      const expiryHeight = clocksOf(chain, at, 0).bitcoin.height + leg.cltvDelta + extra;
      const lock = {
        held: { amount: sats(1_000n), expiryHeight },
        sourceAmount: sats(1_000n),
        vhtlcRefundLocktime: leg.vhtlcRefundLocktime,
      } as const;
      if (safeToLock(lock, clocksOf(chain, at, given.skew + given.leap), policy) !== null) return;
      locked++;
      const cancelledAt = reached(chain, expiryHeight - policy.lndCancelBlocks);
      expect(opens(chain, leg.vhtlcRefundLocktime) + policy.margin / 2).toBeLessThanOrEqual(cancelledAt);
    }),
    { numRuns: 2_000 },
  );
  expect(locked).toBeGreaterThan(500);
});

test('fault 45: whatever the wall says, a payment times out before the refund of its client opens', () => {
  let paid = 0;
  fc.assert(
    fc.property(moment, fc.integer({ min: 18, max: 400 }), (given, finalCltv) => {
      const chain = chainIn(given);
      const leg = payoutLeg({ clocks: clocksOf(chain, start, given.skew), finalCltv, policy });
      if (isRefusal(leg)) return;
      const clocks = clocksOf(chain, start + given.waits, given.skew + given.leap);
      const coin = {
        amount: sats(1_000n),
        expiresAt: unix(start + 10_000 * day),
        recoverable: false,
        unrolled: false,
        spent: false,
      };
      const { refundLocktime } = leg;
      // Whether the invoice is alive others judge by their clocks.
      const pay = {
        coin,
        sourceAmount: sats(1_000n),
        refundLocktime,
        maxTimeoutHeight: leg.maxTimeoutHeight,
        finalCltv,
        invoiceExpiresAt: unix(start + 10_000 * day),
      } as const;
      if (safeToPay(pay, clocks, policy) !== null) return;
      paid++;
      const last = Math.min(leg.maxTimeoutHeight, payHeight({ clocks, sure: vhtlcSpan(refundLocktime), policy }));
      // A wall that is ahead by days makes the client's leg longer by as much: later than this chain is long.
      if (refundLocktime > (chain.times.at(-1) ?? 0) - 3 * hour) return;
      expect(reached(chain, last) + policy.margin / 2).toBeLessThanOrEqual(opens(chain, refundLocktime));
    }),
    { numRuns: 2_000 },
  );
  expect(paid).toBeGreaterThan(500);
});

test('fault 60: a payment for an EVM lock times out before its refund opens, though the chain stood still', () => {
  let paid = 0;
  const network = 'evm:137';
  const standstill = fc.integer({ min: 0, max: policy.mtpLag });
  fc.assert(
    fc.property(moment, standstill, standstill, fc.integer({ min: 18, max: 400 }), (given, first, then, finalCltv) => {
      const chain = chainIn(given);
      const at = start + given.waits;
      // Its block time never runs ahead of the true time, and may be as far behind as Bitcoin's.
      const begun = {
        ...clocksOf(chain, start, given.skew),
        [network]: { mtp: unix(start - first), height: 1 },
      } as const;
      const leg = payoutLeg({ clocks: begun, network, finalCltv, policy });
      if (isRefusal(leg)) return;
      const mtp = unix(Math.max(start - first, at - then));
      const clocks = { ...clocksOf(chain, at, given.skew + given.leap), [network]: { mtp, height: 1 } } as const;
      const { refundLocktime, maxTimeoutHeight } = leg;
      const invoiceExpiresAt = unix(start + 10_000 * day);
      const pay = {
        network,
        depth: 1,
        confirmations: 1,
        refundLocktime,
        maxTimeoutHeight,
        finalCltv,
        invoiceExpiresAt,
      } as const;
      if (safeToPayForLock(pay, clocks, policy) !== null) return;
      paid++;
      const last = Math.min(maxTimeoutHeight, payHeight({ clocks, sure: lockSpan(network, refundLocktime), policy }));
      if (refundLocktime > (chain.times.at(-1) ?? 0) - 3 * hour) return;
      expect(reached(chain, last) + policy.margin / 2).toBeLessThanOrEqual(refundLocktime);
    }),
    { numRuns: 2_000 },
  );
  expect(paid).toBeGreaterThan(500);
});
