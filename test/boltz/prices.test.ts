import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceOfGiven, priceOfInvoice, priceOfWanted } from '../../engine/boltz/price.ts';
import { believedFor, createTellings } from '../../engine/boltz/tellings.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Rate } from '../../engine/quote/fees.ts';

const amounts = fc.integer({ min: 1_000, max: 100_000_000 });
const rates = fc.record({
  bps: fc.integer({ min: 0, max: 500 }),
  flat: fc.integer({ min: 0, max: 2_000 }),
  networkFee: fc.integer({ min: 0, max: 20_000 }),
});

function rateOf(of: { bps: number; flat: number; networkFee: number }): Rate {
  return { bps: of.bps, flat: sats(of.flat), networkFee: sats(of.networkFee) };
}

test('no amount is dearer than what clients reckon in floating point, nor cheaper by more than a satoshi', () => {
  fc.assert(
    fc.property(amounts, rates, (amount, of) => {
      const [rate, flat, share] = [rateOf(of), of.flat + of.networkFee, of.bps / 100 / 100];
      const up = (given: number) => Math.ceil((given * (of.bps / 100)) / 100);
      const dearer = amount + up(amount) + flat - Number(priceOfInvoice(sats(amount), rate).source);
      const less = Number(priceOfGiven(sats(amount), rate).target) - Math.max(0, amount - up(amount) - flat);
      // 7 basis points of 100,000,000 are 70,000, and in binary digits a little more.
      expect([0, 1]).toContain(dearer);
      expect([0, 1]).toContain(less);
      const source = Number(priceOfWanted(sats(amount), rate).source);
      expect(Math.abs(source - Math.ceil((amount + flat) / (1 - share)))).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2_000 },
  );
});

test('who names what it wants sends the least of which that is left, and every satoshi has its place', () => {
  fc.assert(
    fc.property(amounts, rates, (amount, of) => {
      const rate = rateOf(of);
      const price = priceOfWanted(sats(amount), rate);
      expect(priceOfGiven(price.source, rate).target).toBe(price.target);
      expect(priceOfGiven(sats(price.source - 1n), rate).target).toBeLessThan(price.target);
      for (const one of [price, priceOfGiven(sats(amount + 30_000_000), rate), priceOfInvoice(sats(amount), rate)])
        expect(one.source).toBe(one.target + one.fee + one.networkFee);
    }),
    { numRuns: 2_000 },
  );
});

test('a rate is good for a quarter of an hour from when it was last told, and no longer', () => {
  let now = 0;
  const tellings = createTellings(() => now);
  const [cheap, dear] = [10, 20].map((bps) => rateOf({ bps, flat: 0, networkFee: 0 })) as [Rate, Rate];
  tellings.note('pair', 'cheap', cheap);
  now = 1_000;
  tellings.note('pair', 'dear', dear);
  tellings.note('other', 'cheap', dear);
  expect(tellings.rates('pair')).toEqual([cheap, dear]);
  now = believedFor;
  expect([tellings.byHash('pair', 'cheap'), tellings.byHash('pair', 'dear')]).toEqual([null, dear]);
  now = believedFor + 1_000;
  expect(tellings.rates('pair')).toEqual([]);
});

test('whoever makes the limits move a thousand times drives out the oldest and holds no more than that', () => {
  const tellings = createTellings(() => 0);
  const rate = (at: number) => rateOf({ bps: 10, flat: 0, networkFee: at });
  for (let at = 0; at < 1_001; at++) tellings.note('pair', String(at), rate(at));
  expect([tellings.byHash('pair', '0'), tellings.rates('pair').length]).toEqual([null, 1_000]);
});
