import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { openBundle } from '../../engine/rescue/bundle.ts';
import { bundleIn, keepingAt, keysOf, stateOf } from './keeping.ts';

/** The disk: how many bytes it still takes, in calls of at most `each`, and whether a sync fails; `fresh` come back. */
const disk = vi.hoisted(() => ({ room: Infinity, each: Infinity, syncFails: false, written: 0, syncs: 0, fresh: 0 }));

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  type Write = (bytes: Uint8Array, from: number, length: number, at: number) => Promise<{ bytesWritten: number }>;
  const broken = (code: string) => Object.assign(new Error(`${code}: the disk of a test`), { code });
  const sync = async (act: () => Promise<void>) => {
    if (disk.syncFails) throw broken('EIO');
    disk.syncs += 1;
    await act();
  };
  async function open(path: string, flags: string, mode?: number): Promise<FileHandle> {
    const file = await fs.open(path, flags, mode);
    if (flags === 'wx') disk.fresh = 0;
    const { write, datasync, sync: whole } = file;
    return Object.assign(file, {
      async write(bytes: Uint8Array, from: number, length: number, at: number) {
        if (disk.room === 0) throw broken('ENOSPC');
        const answer = await (write as Write).call(file, bytes, from, Math.min(length, disk.room, disk.each), at);
        disk.room -= answer.bytesWritten;
        disk.written += answer.bytesWritten;
        if (flags === 'wx') disk.fresh += answer.bytesWritten;
        return answer;
      },
      datasync: () => sync(() => datasync.call(file)),
      sync: () => sync(() => whole.call(file)),
    });
  }
  async function rm(path: string, options: object): Promise<void> {
    await fs.rm(path, options);
    disk.room += disk.fresh;
    disk.fresh = 0;
  }
  return { ...fs, open, rm };
});

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-place-'));
  path = join(folder, 'rescue.bundle');
  Object.assign(disk, { room: Infinity, each: Infinity, syncFails: false, written: 0, syncs: 0 });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const keeping = ({ forgets = false, at = path } = {}) => keepingAt(at, { forgets });
const read = (bytes: Uint8Array = readFileSync(path)) => bundleIn(bytes);
const spared = () => readdirSync(folder).filter((name) => name.includes('.before-'));
const inode = () => statSync(path).ino;

test('a change is written behind what is there, with one sync and no more bytes than it has', async () => {
  const node = keeping();
  for (let i = 0; i < 200; i++) node.set(`swap ${i}`, 'lightning-arkade');
  await node.write();
  const [file, { size }] = [inode(), statSync(path)];
  Object.assign(disk, { written: 0, syncs: 0 });
  node.set('swap 3', 'later');
  node.set('swap 4', null);
  expect(await node.write()).toBe(true);
  expect([inode(), disk.syncs, disk.written]).toEqual([file, 1, statSync(path).size - size]);
  expect(disk.written).toBeLessThan(600);
  expect([stateOf(read()), read().lost]).toEqual([node.history.at(-1), 0]);
  await node.write();
  expect(disk.syncs).toBe(1);
});

test('fault 3: nothing is written behind what a full disk took a part of', async () => {
  const node = keeping();
  node.set('a', 'one');
  await node.write();
  node.set('b', 'two');
  disk.room = 20;
  expect(await node.write()).toBe(false);
  expect([stateOf(read()), read().lost]).toEqual(['[["a","one"]]', 20]);
  expect(await node.write()).toBe(false);
  expect(readdirSync(folder)).toEqual(['rescue.bundle']);
  disk.room = Infinity;
  node.set('c', 'three');
  expect(await node.write()).toBe(true);
  expect([stateOf(read()), read().lost]).toEqual([node.history.at(-1), 0]);
});

test('a disk that takes a few bytes at a time has all of them', async () => {
  disk.each = 7;
  const node = keeping();
  node.set('a', 'one');
  await node.write();
  node.set('b', 'two');
  expect([await node.write(), stateOf(read()), read().lost]).toEqual([true, node.history.at(-1), 0]);
});

test('after a sync that failed nothing is believed, and the file is written anew', async () => {
  const node = keeping();
  node.set('a', 'one');
  await node.write();
  const file = inode();
  node.set('b', 'two');
  disk.syncFails = true;
  expect(await node.write()).toBe(false);
  disk.syncFails = false;
  expect(await node.write()).toBe(true);
  expect([inode() === file, stateOf(read())]).toEqual([false, node.history.at(-1)]);
});

test('a place that missed a write has all of it with the next one', async () => {
  const node = keeping();
  node.set('a', 'one');
  await node.write();
  node.set('b', 'two');
  await node.write(false);
  node.set('c', 'three');
  expect([await node.write(), stateOf(read())]).toEqual([true, node.history.at(-1)]);
});

test('whatever else lies at a place is not written behind, and what the database has is replaced', async () => {
  const node = keeping();
  node.set('a', 'one');
  await node.write();
  const older = readFileSync(path);
  node.set('b', 'two');
  await node.write();
  const other = keeping({ at: join(folder, 'other') });
  other.set('z', 'other');
  await other.write();
  const whole = readFileSync(join(folder, 'other'));
  const head = whole.indexOf('\n');
  const changes: ((last: Buffer) => Buffer)[] = [
    () => older,
    (last) => last.subarray(0, -1),
    (last) => Buffer.concat([last, Buffer.from('x')]),
    () => whole,
    // Of the same size: another beginning, another end.
    (last) => Buffer.concat([whole.subarray(0, head), last.subarray(head)]),
    (last) => Buffer.concat([last.subarray(0, -10), Buffer.alloc(10)]),
  ];
  for (const change of changes) {
    writeFileSync(path, change(readFileSync(path)));
    node.set('c', String(Math.random()));
    expect([await node.write(), stateOf(read()), read().lost]).toEqual([true, node.history.at(-1), 0]);
  }
  rmSync(path);
  node.set('c', 'last');
  expect([await node.write(), stateOf(read())]).toEqual([true, node.history.at(-1)]);
});

test('the bundle of another node that comes to a place while it is written is kept, once an hour', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const node = keeping({ forgets: true });
  node.set('a', 'one');
  await node.write();
  const foreign = async (word: string) => {
    const other = keeping({ at: join(folder, 'other') });
    other.set('z', word);
    await other.write();
    writeFileSync(path, readFileSync(join(folder, 'other')));
    node.set('a', word);
    return node.write();
  };
  expect([await foreign('two'), spared().length]).toEqual([true, 1]);
  expect(stateOf(read(readFileSync(join(folder, spared()[0] ?? ''))))).toBe('[["z","two"]]');
  expect([await foreign('three'), spared().length, stateOf(read())]).toEqual([false, 1, '[["z","three"]]']);
  vi.advanceTimersByTime(3_600_000);
  expect([await node.write(), stateOf(read())]).toEqual([true, node.history.at(-1)]);
});

test('what is over is written away: a file stays as small as what is kept, and that costs no more than it', async () => {
  const node = keeping();
  const word = 'x'.repeat(2_000);
  let appended = 0;
  for (let i = 0; i < 600; i++) {
    node.set('a', `${word}${i}`);
    appended += 3_000;
    await node.write();
    expect(statSync(path).size).toBeLessThan(300_000);
  }
  expect(disk.written).toBeLessThan(1.2 * appended);
  expect(stateOf(read())).toBe(node.history.at(-1));
  const [{ size }, wornOut] = [statSync(path), node.isWorn()];
  expect([size > 70_000, wornOut]).toEqual([true, true]);
  await node.write();
  expect([statSync(path).size < 5_000, node.isWorn()]).toEqual([true, false]);
});

test('fault 3: a worn file that a full disk does not take anew is whole, and goes on until there is room', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const node = keeping();
  node.set('swap 0', 'one');
  await node.write();
  node.set('swap 0', 'x'.repeat(300_000));
  await node.write();
  const file = inode();
  node.set('swap 0', 'worn');
  disk.room = 320;
  expect([await node.write(), inode(), stateOf(read()), read().lost]).toEqual([true, file, node.history.at(-1), 0]);
  expect(readdirSync(folder)).toEqual(['rescue.bundle']);
  Object.assign(disk, { room: Infinity, syncs: 0 });
  node.set('swap 1', 'later');
  // Not tried at each write again: the room that it took would be that of everything else.
  expect([await node.write(), inode(), disk.syncs, node.isWorn()]).toEqual([true, file, 1, false]);
  vi.advanceTimersByTime(600_000);
  node.set('swap 1', 'last');
  expect([node.isWorn(), await node.write(), stateOf(read())]).toEqual([true, true, node.history.at(-1)]);
  expect([inode() === file, statSync(path).size < 5_000]).toEqual([false, true]);
});

test('of many open swaps the file grows to twice their size before it is written anew', async () => {
  const node = keeping();
  const word = 'x'.repeat(1_000);
  for (let i = 0; i < 1_000; i++) node.set(`swap ${i}`, word);
  await node.write();
  const first = inode();
  const { size } = statSync(path);
  let most = size;
  for (let i = 0; inode() === first; i++) {
    for (let j = 0; j < 20; j++) node.set(`swap ${(20 * i + j) % 1_000}`, `${word}${i}`);
    await node.write();
    most = Math.max(most, statSync(path).size);
  }
  expect(most / size).toBeGreaterThan(1.8);
  expect(most / size).toBeLessThan(2.1);
});

const act = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  word: fc.option(fc.string({ maxLength: 8 })),
  // What becomes of the write after it: none, a whole one, one that is missed, one that the disk breaks off.
  then: fc.oneof(
    { weight: 6, arbitrary: fc.constant('writes' as const) },
    { weight: 1, arbitrary: fc.constant('nothing' as const) },
    { weight: 1, arbitrary: fc.constant('misses' as const) },
    { weight: 1, arbitrary: fc.constant('no sync' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 500 }) },
  ),
});

test('a file that is cut off anywhere is a state that was written, and after its last sync none before it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
      rmSync(path, { force: true });
      const node = keeping();
      let synced = 0;
      for (const { id, word, then } of acts) {
        node.set(id, word);
        if (then === 'nothing') continue;
        if (typeof then === 'number') disk.room = then;
        disk.syncFails = then === 'no sync';
        if (await node.write(then !== 'misses')) synced = statSync(path).size;
        Object.assign(disk, { room: Infinity, syncFails: false });
      }
      const bytes = existsSync(path) ? readFileSync(path) : Buffer.from('');
      let before = -1;
      for (let length = 0; length <= bytes.length; length++) {
        const bundle = openBundle('it', bytes.subarray(0, length), 'regtest', keysOf(1));
        if (isRefusal(bundle)) {
          expect([length < bytes.length || node.promised() === -1, before]).toEqual([true, -1]);
          continue;
        }
        const state = node.history.indexOf(stateOf(bundle), Math.max(0, before));
        expect(state, `${length} of ${bytes.length} bytes`).toBeGreaterThanOrEqual(0);
        before = state;
        if (length >= synced) expect(node.history.lastIndexOf(stateOf(bundle))).toBeGreaterThanOrEqual(node.promised());
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);
