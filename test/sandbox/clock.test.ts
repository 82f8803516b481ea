import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { type Block, genesis } from '../../engine/sandbox/world/bitcoin/block.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { openSqliteJournal } from '../../engine/sandbox/world/sqlite-journal.ts';
import { openWorlds, startOfTests } from './worlds.ts';

test('time never goes back, not over a restart on a machine whose clock was set back', () => {
  const journal = memoryJournal();
  let wall = 1_000_000;
  const time = createTime(journal, () => wall);
  time.advance(500);
  expect(time.now()).toBe(1_000_500);
  wall -= 10_000;
  expect(time.now()).toBe(1_000_500);
  expect(createTime(journal, () => wall).now()).toBe(1_000_500);
  time.advance(1);
  wall += 10;
  expect(time.now()).toBe(1_000_511);
  expect(() => time.advance(-1)).toThrow('forward');
});

test('the genesis block is that of regtest', () => {
  // Hash as in Bitcoin Core's chainparams.cpp.
  expect(genesis.hash).toBe('0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206');
});

test('every header meets its target, names the one before, and its time keeps the rules', () => {
  const { bitcoin } = openWorlds();
  bitcoin.mine(30);
  bitcoin.advance(100_000);
  const blocks = Array.from({ length: bitcoin.tip().height + 1 }, (_, height) => bitcoin.at(height) as Block);
  for (const [i, block] of blocks.entries()) {
    const previous = blocks[i - 1];
    const recent = blocks
      .slice(Math.max(0, i - 10), i + 1)
      .map(({ time }) => time)
      .sort((a, b) => a - b);
    expect(twice(block.header)).toBe(block.hash);
    expect(block.mtp).toBe(recent[Math.floor(recent.length / 2)]);
    expect(bitcoin.byHash(block.hash)).toBe(block);
    if (previous === undefined) continue;
    expect(Number.parseInt(block.hash.slice(0, 2), 16)).toBeLessThan(0x80);
    expect(Buffer.from(block.header).subarray(4, 36).reverse().toString('hex')).toBe(previous.hash);
    expect(block.transactions.map(({ bytes }) => twice(bytes))).toEqual([block.merkleRoot]);
    expect(block.time).toBeGreaterThan(previous.mtp);
  }
});

test('whatever the steps, median time past follows the clock to within ten seconds and heights as told', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 6 }), (steps) => {
      const { bitcoin } = openWorlds();
      for (const step of steps) {
        const { height } = bitcoin.tip();
        bitcoin.advance(step);
        expect(bitcoin.tip().height - height).toBe(Math.max(11, Math.floor(step / 600)));
        expect(Math.abs(bitcoin.clock.now() - bitcoin.clock.mtp())).toBeLessThanOrEqual(10);
      }
      expect(bitcoin.clock.now()).toBe(startOfTests + steps.reduce((sum, step) => sum + step, 0));
    }),
    { numRuns: 20 },
  );
});

test('the same steps make the same chain, and a restart goes on where it was', () => {
  const [one, other] = [memoryJournal(), memoryJournal()];
  const first = openWorlds(one).bitcoin;
  first.advance(7_000);
  const reopened = openWorlds(one).bitcoin;
  expect(reopened.tip()).toEqual(first.tip());
  reopened.mine(2);
  const straight = openWorlds(other).bitcoin;
  straight.advance(7_000);
  straight.mine(2);
  expect(reopened.tip()).toEqual(straight.tip());
});

test('a day of blocks costs less than a fifth of a second of the processor', () => {
  const { bitcoin } = openWorlds();
  const before = process.cpuUsage();
  bitcoin.advance(86_400);
  expect(process.cpuUsage(before).user).toBeLessThan(200_000);
});

test('the journal on disk keeps whole changes only and belongs to one process at a time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-journal-'));
  const file = join(folder, 'networks.db');
  const journal = openSqliteJournal(file);
  if (journal === 'locked') throw new Error('locked');
  expect(openSqliteJournal(file)).toBe('locked');
  journal.put('a', '1', { n: 1 });
  expect(() =>
    journal.atomically(() => {
      journal.put('a', '2', 'lost');
      journal.atomically(() => journal.remove('a', '1'));
      throw new Error('no');
    }),
  ).toThrow('no');
  const bitcoin = createBitcoin({ journal, time: createTime(journal, () => startOfTests) });
  const tip = bitcoin.tip();
  journal.close();
  const again = openSqliteJournal(file);
  if (again === 'locked') throw new Error('locked');
  expect(again.rows('a')).toEqual([['1', { n: 1 }]]);
  expect(createBitcoin({ journal: again, time: createTime(again, () => startOfTests) }).tip()).toEqual(tip);
  again.close();
  rmSync(folder, { recursive: true, force: true });
});

function twice(bytes: Uint8Array): string {
  const hash = (data: Uint8Array) => createHash('sha256').update(data).digest();
  return hash(hash(bytes)).reverse().toString('hex');
}
