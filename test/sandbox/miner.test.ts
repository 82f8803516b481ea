import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { createMiner, type Miner } from '../../engine/sandbox/control/miner.ts';
import { createBitcoin, type BitcoinWorld } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import type { Journal } from '../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { startOfTests } from './worlds.ts';

const hour = 3_600;
const someScript = Uint8Array.of(0, 20, ...new Uint8Array(20));

beforeEach(() => void vi.useFakeTimers({ now: startOfTests * 1_000 }));
afterEach(() => void vi.useRealTimers());

interface Mine {
  readonly bitcoin: BitcoinWorld;
  readonly miner: Miner;
}

function open(journal: Journal = memoryJournal()): Mine {
  const bitcoin = createBitcoin({ journal, time: createTime(journal) });
  return { bitcoin, miner: createMiner(bitcoin, journal) };
}

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
const pay = ({ bitcoin }: Mine) => bitcoin.faucet(someScript, sats(10_000n))!.txid;

/** How many blocks come in so many seconds. */
function blocksIn({ bitcoin }: Mine, seconds: number): number {
  const { height } = bitcoin.tip();
  pass(seconds);
  return bitcoin.tip().height - height;
}

test('a block comes five seconds after a transaction, and more until it is six deep', () => {
  const mine = open();
  mine.miner.onDemand();
  expect(blocksIn(mine, 500)).toBe(0);
  const txid = pay(mine);
  pass(4);
  const before = mine.bitcoin.transaction(txid)?.height;
  pass(2);
  const { height } = mine.bitcoin.tip();
  expect([before, mine.bitcoin.transaction(txid)?.height]).toEqual([null, height]);
  expect(blocksIn(mine, 40)).toBe(5);
  expect(blocksIn(mine, 500)).toBe(0);
});

test('where nobody waits a block comes each ten minutes, and none more where nobody asked', () => {
  const mine = open();
  expect(blocksIn(mine, hour)).toBe(0);
  mine.miner.every(60);
  expect(blocksIn(mine, 600)).toBe(10);
  mine.miner.onDemand();
  expect(blocksIn(mine, 24 * hour)).toBe(144);
  mine.miner.every(null);
  pay(mine);
  expect(blocksIn(mine, hour)).toBe(0);
});

test('what pays less than miners ask for brings no blocks, until it pays enough', () => {
  const mine = open();
  mine.miner.onDemand();
  const txid = pay(mine);
  mine.bitcoin.setFeeRate(500);
  expect(blocksIn(mine, 30)).toBe(0);
  mine.bitcoin.setFeeRate(1);
  pass(7);
  expect(mine.bitcoin.transaction(txid)?.height).toBe(mine.bitcoin.tip().height);
});

test('reorganisations that follow each other put no block off', () => {
  const mine = open();
  mine.miner.onDemand();
  pass(1_500);
  const txid = pay(mine);
  for (let times = 0; times < 2; times++) {
    pass(2);
    mine.bitcoin.reorg(2);
  }
  pass(2);
  expect(mine.bitcoin.transaction(txid)?.height).toBe(mine.bitcoin.tip().height);
});

test('after a sleep, and at a start after one, eleven blocks bring the clock of the chain to now', () => {
  const journal = memoryJournal();
  const mine = open(journal);
  mine.miner.onDemand();
  vi.setSystemTime((startOfTests + 24 * hour) * 1_000);
  expect(blocksIn(mine, 1)).toBe(11);
  const behind = () => mine.bitcoin.clock.now() - mine.bitcoin.clock.mtp();
  expect(behind()).toBeLessThanOrEqual(10);
  mine.miner.stop();
  vi.setSystemTime((startOfTests + 48 * hour) * 1_000);
  const again = open(journal);
  expect(again.bitcoin.tip().height - mine.bitcoin.tip().height).toBe(11);
  expect(again.bitcoin.clock.now() - again.bitcoin.clock.mtp()).toBeLessThanOrEqual(10);
  expect(blocksIn(again, 0.5 * hour)).toBe(3);
});

test('whatever is paid and when, blocks are stamped with the clock and median time past stays behind it', () => {
  const pauses = fc.array(fc.constantFrom(0, 1, 3, 7, 30, 600, 2_000, 10_000), { minLength: 5, maxLength: 25 });
  fc.assert(
    fc.property(pauses, (steps) => {
      vi.setSystemTime(startOfTests * 1_000);
      const mine = open();
      const { bitcoin, miner } = mine;
      miner.onDemand();
      const first = bitcoin.tip().height;
      for (const step of steps) {
        pay(mine);
        pass(step);
        expect(bitcoin.clock.mtp()).toBeLessThanOrEqual(bitcoin.clock.now());
        expect(bitcoin.clock.now() - bitcoin.clock.mtp()).toBeLessThanOrEqual(1.2 * hour);
      }
      for (let height = first + 1; height <= bitcoin.tip().height; height++) {
        const [block, before] = [bitcoin.at(height)!, bitcoin.at(height - 1)!];
        expect(block.time).toBeGreaterThan(before.mtp);
        expect(block.time - before.time).toBeGreaterThanOrEqual(5);
      }
      expect(bitcoin.tip().time).toBeLessThanOrEqual(bitcoin.clock.now());
      miner.stop();
    }),
    { numRuns: 10 },
  );
});
