import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTooLow } from '../../engine/domain/fee-rate.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { leastSpread, rememberSpread, spreadDown, type SpreadMemory } from '../../engine/quote/inventory.ts';

const terms = { spreadBps: 40, belowShareBps: 2_500 };
const at = (held: number, across: number, feeBps = 25) =>
  spreadDown({ held: sats(held), across: sats(across) }, terms, feeBps);

test('nothing is added at a quarter of the whole, half of it at an eighth, all of it at nothing', () => {
  expect([at(75, 25), at(25, 75), at(26, 75), at(125, 875), at(0, 100), at(0, 0)]).toEqual([0, 0, 0, 20, 40, 40]);
});

test('with no spread set nothing is added, however little is held', () => {
  expect(spreadDown({ held: sats(0), across: sats(1) }, { ...terms, spreadBps: 0 }, 25)).toBe(0);
});

const amounts = fc.bigInt({ min: 0n, max: 21n * 10n ** 14n }).map(sats);
const spreads = fc.record({
  spreadBps: fc.integer({ min: 0, max: 1_000 }),
  belowShareBps: fc.integer({ min: 1, max: 5_000 }),
});
const fees = fc.integer({ min: 0, max: 10_000 }).filter((bps) => !readTooLow(bps));

test('what is added is within its bound, and clients read the sum as it is', () => {
  fc.assert(
    fc.property(amounts, amounts, spreads, fees, (held, across, of, feeBps) => {
      const spread = spreadDown({ held, across }, of, feeBps);
      expect(spread).toBeGreaterThanOrEqual(0);
      expect(spread).toBeLessThanOrEqual(of.spreadBps);
      expect(feeBps + spread).toBeLessThanOrEqual(10_000);
      expect(readTooLow(feeBps + spread)).toBe(false);
    }),
  );
});

test('it never falls while less is held, nor while more is held across', () => {
  fc.assert(
    fc.property(amounts, amounts, amounts, spreads, fees, (held, across, less, of, feeBps) => {
      const spread = spreadDown({ held, across }, of, feeBps);
      const fewer = sats(held > less ? held - less : 0n);
      expect(spreadDown({ held: fewer, across }, of, feeBps)).toBeGreaterThanOrEqual(spread);
      expect(spreadDown({ held, across: sats(across + less) }, of, feeBps)).toBeGreaterThanOrEqual(spread);
    }),
  );
});

test('only one of the two ways between two sides ever costs more', () => {
  fc.assert(
    fc.property(amounts, amounts, spreads, fees, (held, across, of, feeBps) => {
      fc.pre(held + across > 0n);
      const there = spreadDown({ held, across }, of, feeBps);
      const back = spreadDown({ held: across, across: held }, of, feeBps);
      expect(Math.min(there, back)).toBe(0);
    }),
  );
});

test('a create adds the least that a quote told within two minutes, and what is due after them', () => {
  let memory: SpreadMemory = new Map();
  memory = rememberSpread(memory, 5, unix(1_000));
  memory = rememberSpread(memory, 20, unix(1_060));
  expect([
    leastSpread(memory, 30, unix(1_061)),
    leastSpread(memory, 3, unix(1_061)),
    leastSpread(memory, 30, unix(1_121)),
    leastSpread(memory, 30, unix(1_181)),
  ]).toEqual([5, 3, 20, 30]);
});
