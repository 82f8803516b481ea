import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { openBundle } from '../../engine/rescue/bundle.ts';
import { bundleName, createKeeper } from '../../engine/rescue/keep.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import type { Entry } from '../../engine/runtime/working-set.ts';
import type { Store } from '../../engine/store/store.ts';
import { lightningArkadeTerms } from '../swap/cases.ts';
import { lightningArkade } from '../../engine/swap/directions/lightning-arkade.ts';
import { seedOf } from '../support/node.ts';

const keys = createKeys(seedOf(1), 'regtest').sealingKey;
let folder: string;
let copyTo: string | null;
let states: (string | null)[];
let damages: string[];
let begun: number;
/** Happens once, in the middle of the next write. */
let duringWrite: (() => void) | null;
const inDatabase = new Set<string>();
/** What the keeper asks of a store. */
const store = {
  counters: { peek: () => 7 },
  preimages: { find: () => null },
  transactions: { of: () => [], bytes: () => null },
  exits: { revision: () => 0, all: () => noExitPaths, coins: () => [] },
  ownCoins: { all: () => [] },
  swaps: { isOpen: (id: string) => (inDatabase.has(id) ? true : null) },
} as unknown as Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-keeper-'));
  copyTo = null;
  states = [];
  damages = [];
  begun = 0;
  duringWrite = null;
  inDatabase.clear();
  // Files are written in real time, pauses pass when a test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Two turns of the event loop: a write that is not kept back has begun. */
async function turns(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise(setImmediate);
}

/** Until so many are over, and what follows from them is on its way. */
async function writes(count: number): Promise<void> {
  while (states.length < count) await turns();
  await turns();
}

const keeper = () =>
  createKeeper({
    store,
    walletTerms: () => [],
    network: 'regtest',
    keys,
    folder,
    copyTo() {
      begun += 1;
      const act = duringWrite;
      duringWrite = null;
      act?.();
      return copyTo;
    },
    wall: () => unix(1_790_000_000),
    onState: (sentence) => states.push(sentence),
    onDamage: (sentence) => damages.push(sentence),
  });

const columns = { createdAt: 1, status: 'clientfunded', valueSats: 1n, termsVersion: 1, progressVersion: 1 };

function swap(id: string, at: 'funded' | 'locking'): Entry {
  inDatabase.add(id);
  const progress = { at, bolt11: 'lnbcrt', invoiceExpiresAt: 0, expiryHeight: 1, lock: { txid: 'ab', vout: 0 } };
  return {
    row: { id, open: true, terms: lightningArkadeTerms, progress, ...columns },
    machine: lightningArkade,
  } as unknown as Entry;
}

function idsIn(path: string): string[] {
  const bundle = openBundle(path, readFileSync(path), 'regtest', keys);
  if (isRefusal(bundle)) throw new Error(bundle.sentence);
  return bundle.swaps.map(({ id }) => id);
}

const inFolder = () => join(folder, bundleName);

test('what is tracked is on the disk once it is said to be held', async () => {
  const bundles = keeper();
  bundles.track(swap('a', 'locking'));
  expect(await bundles.holds('a')).toBe(true);
  expect(idsIn(inFolder())).toEqual(['a']);
  expect(statSync(inFolder()).mode & 0o077).toBe(0);
  await bundles.stop();
});

test('a swap of which nothing of ours is out is in no bundle, and nothing waits for it', async () => {
  const bundles = keeper();
  bundles.track(swap('a', 'funded'));
  expect([await bundles.holds('a'), existsSync(inFolder())]).toEqual([true, false]);
  await bundles.stop();
  expect(idsIn(inFolder())).toEqual([]);
});

test('a thousand swaps that move at once cost one write, and all are held', async () => {
  const bundles = keeper();
  const names = Array.from({ length: 1_000 }, (_, i) => `swap ${i}`);
  for (const name of names) bundles.track(swap(name, 'locking'));
  expect((await Promise.all(names.map((name) => bundles.holds(name)))).every(Boolean)).toBe(true);
  expect([idsIn(inFolder()).length, states.length]).toEqual([1_000, 1]);
  await bundles.stop();
});

test('what moves again and again is written with pauses, but at once where somebody waits for it', async () => {
  const bundles = keeper();
  duringWrite = () => {
    for (let i = 0; i < 40; i++) bundles.track(swap(`swap ${i}`, 'locking'));
  };
  bundles.track(swap('first', 'locking'));
  await writes(1);
  vi.advanceTimersByTime(249);
  await turns();
  expect(begun).toBe(1);
  vi.advanceTimersByTime(1);
  await writes(2);
  expect(idsIn(inFolder())).toHaveLength(41);
  bundles.track(swap('at rest', 'locking'));
  await turns();
  expect(begun).toBe(2);
  expect(await bundles.holds('at rest')).toBe(true);
  bundles.track(swap('last', 'locking'));
  vi.advanceTimersByTime(250);
  await writes(4);
  expect(idsIn(inFolder()).slice(-2)).toEqual(['at rest', 'last']);
  vi.advanceTimersByTime(59_000);
  await turns();
  expect(begun).toBe(4);
  await bundles.stop();
});

test('after a minute without a change a file of which most is over is written anew', async () => {
  const bundles = keeper();
  const names = Array.from({ length: 40 }, (_, i) => `swap ${i}`);
  bundles.track(swap('first', 'locking'));
  await bundles.holds('first');
  for (const name of names) bundles.track(swap(name, 'locking'));
  await bundles.holds('swap 0');
  for (const name of names) bundles.track(swap(name, 'funded'));
  await bundles.flush();
  const { size } = statSync(inFolder());
  await turns();
  vi.advanceTimersByTime(60_000);
  await writes(4);
  expect([size > 100_000, statSync(inFolder()).size < 10_000, idsIn(inFolder())]).toEqual([true, true, ['first']]);
  vi.advanceTimersByTime(600_000);
  await turns();
  expect(states.length).toBe(4);
  await bundles.stop();
});

test('who waits while a write is on its way has the next one begun right behind it', async () => {
  const bundles = keeper();
  let late = Promise.resolve(false);
  duringWrite = () => {
    bundles.track(swap('late', 'locking'));
    late = bundles.holds('late');
  };
  bundles.track(swap('first', 'locking'));
  await writes(1);
  expect([await late, begun, idsIn(inFolder())]).toEqual([true, 2, ['first', 'late']]);
  await bundles.stop();
});

test('a way to the chain that is saved while a write is on its way waits for that one alone', async () => {
  const bundles = keeper();
  duringWrite = () => bundles.exitPathsChanged();
  bundles.track(swap('first', 'locking'));
  await writes(2);
  bundles.exitPathsChanged();
  await writes(3);
  await bundles.stop();
});

test('where the data folder cannot be written, nothing is held, and the owner is told', async () => {
  const bundles = keeper();
  renameSync(folder, `${folder}.away`);
  bundles.track(swap('a', 'locking'));
  expect(await bundles.holds('a')).toBe(false);
  expect(states.at(-1)).toMatch(/cannot be written to .*rescue\.bundle .*: free disk space/);
  renameSync(`${folder}.away`, folder);
  expect([await bundles.holds('a'), states.at(-1)]).toEqual([true, null]);
  await bundles.stop();
});

test("a copy goes to the owner's place, and one that is away holds up no swap", async () => {
  copyTo = join(folder, 'stick', 'sluice.bundle');
  const bundles = keeper();
  bundles.track(swap('a', 'locking'));
  expect([await bundles.holds('a'), states.at(-1)]).toEqual([true, expect.stringMatching(/rescue\.copyTo/)]);
  mkdirSync(join(folder, 'stick'));
  bundles.track(swap('b', 'locking'));
  await bundles.holds('b');
  expect([idsIn(copyTo), states.at(-1)]).toEqual([['a', 'b'], null]);
  await bundles.stop();
});

test('fault 316, store: a copy that was away has what is held, once its place is back', async () => {
  copyTo = join(folder, 'stick', 'sluice.bundle');
  const bundles = keeper();
  bundles.track(swap('a', 'locking'));
  expect(await bundles.holds('a')).toBe(true);
  expect(states.at(-1)).toMatch(/cannot be written to .*stick.*what lies there is behind/);
  mkdirSync(join(folder, 'stick'));
  expect([await bundles.holds('a'), idsIn(copyTo)]).toEqual([true, ['a']]);
  await bundles.stop();
});

test('fault 316, store: a copy at another place than before is waited for like the first', async () => {
  copyTo = join(folder, 'copy');
  const bundles = keeper();
  bundles.track(swap('a', 'locking'));
  await bundles.holds('a');
  copyTo = join(folder, 'stick', 'copy');
  bundles.exitPathsChanged();
  await writes(2);
  mkdirSync(join(folder, 'stick'));
  expect([await bundles.holds('a'), idsIn(copyTo)]).toEqual([true, ['a']]);
  await bundles.stop();
});

test('a folder that begins anew keeps the bundle of the node before it', async () => {
  const before = keeper();
  before.track(swap('lost', 'locking'));
  await before.holds('lost');
  await before.stop();
  inDatabase.clear();
  const after = keeper();
  after.track(swap('new', 'locking'));
  await after.holds('new');
  await after.stop();
  const spared = readdirSync(folder).find((name) => name.includes('.before-'));
  expect([idsIn(inFolder()), idsIn(join(folder, String(spared)))]).toEqual([['new'], ['lost']]);
});

test('a file that is no bundle of this seed is not overwritten either', async () => {
  writeFileSync(inFolder(), 'something else');
  const bundles = keeper();
  bundles.track(swap('a', 'locking'));
  await bundles.holds('a');
  await bundles.stop();
  const spared = readdirSync(folder).find((name) => name.includes('.before-'));
  expect(readFileSync(join(folder, String(spared)), 'utf8')).toBe('something else');
  expect(damages).toEqual([expect.stringMatching(/is no rescue bundle.* moved it to .*before-.* anew/)]);
});

test('what a disk changed while the node was off is kept as it is, written anew, and told', async () => {
  const before = keeper();
  before.track(swap('a', 'locking'));
  await before.holds('a');
  await before.stop();
  const bytes = readFileSync(inFolder());
  const at = bytes.length >> 1;
  bytes[at] = bytes[at] === 0x41 ? 0x42 : 0x41;
  writeFileSync(inFolder(), bytes);
  const after = keeper();
  after.track(swap('a', 'locking'));
  expect(await after.holds('a')).toBe(true);
  await after.stop();
  expect([idsIn(inFolder()), damages]).toEqual([['a'], [expect.stringMatching(/damaged.* The node moved it to /)]]);
});

test('a swap that is open and not in what is kept any more is not overwritten in any place', async () => {
  copyTo = join(folder, 'copy');
  const one = keeper();
  one.track(swap('a', 'locking'));
  one.track(swap('b', 'locking'));
  await one.holds('a');
  await one.stop();
  // It cannot be read, or a backup from before its lock was put back.
  const two = keeper();
  two.track(swap('b', 'locking'));
  await two.holds('b');
  await two.stop();
  const spared = readdirSync(folder).filter((name) => name.includes('.before-'));
  expect(spared.map((name) => idsIn(join(folder, name)))).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

test('what is too large for a bundle, or no file, is moved away unread', async () => {
  copyTo = join(folder, 'copy');
  const large = openSync(copyTo, 'w');
  ftruncateSync(large, 65 * 1_024 * 1_024);
  closeSync(large);
  const bundles = keeper();
  bundles.track(swap('a', 'locking'));
  await bundles.holds('a');
  await bundles.stop();
  expect([idsIn(copyTo), states.filter((state) => state !== null)]).toEqual([['a'], []]);
  expect(readdirSync(folder).filter((name) => name.startsWith('copy.before-'))).toHaveLength(1);
});
