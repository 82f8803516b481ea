import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createOutside } from '../engine/outside-mark.ts';
import { openDataFolder, type DataFolder } from '../engine/store/data-folder.ts';
import { leaveOthers } from '../engine/service/taker/used.ts';
import { isAhead, type Position } from '../engine/store/position.ts';
import { seedMadeHere } from '../engine/store/seed-marks.ts';
import { memoryLog } from './runtime/support.ts';
import { newFolder } from './store/support.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const markKey = new Uint8Array(32).fill(3);

/** A run of a node, as far as its marks are concerned. */
function run(path: string, places: { state?: string; copy?: string }) {
  const folder: DataFolder = openDataFolder({
    path,
    network: 'regtest',
    sealingKey: (purpose) => new Uint8Array(32).fill(purpose === 'store' ? 1 : 2),
    onLost: () => undefined,
  });
  const late: Position[] = [];
  const outside = createOutside({
    position: () => folder.position(),
    key: markKey,
    stateFolder: places.state ?? null,
    copyTo: () => places.copy ?? null,
    onAhead: (mark) => late.push(mark),
    log: memoryLog().log,
  });
  let over = false;
  const end = async () => {
    if (over) return;
    over = true;
    await outside.stop();
    folder.close();
  };
  ending.push(end);
  return {
    folder,
    outside,
    late,
    end,
    /** As a create of a swap does: marks beside the database, the database, and after it the mark outside. */
    swap() {
      const index = folder.store.atomically(() => {
        const next = folder.store.counters.take('swap');
        folder.highWater.reach(next);
        return next;
      });
      folder.highWater.used(index);
      outside.follow();
    },
    /** The next key of a swap of one's own. */
    ownSwap(): number {
      const { store, takerHighWater } = folder;
      const index = store.atomically(() => store.counters.take('taker', takerHighWater.floor()));
      takerHighWater.reach(index);
      outside.follow();
      return index;
    },
    async restored() {
      const { own } = await outside.read();
      return folder.restored(own.filter((mark) => isAhead(mark, folder.position())));
    },
  };
}

/** A data folder after three swaps, as an image of its disk has it, and as it was after two more. */
async function rolledBack(places: { state?: string; copy?: string }) {
  const [path, image] = [join(newFolder(), 'data'), join(newFolder(), 'image')];
  mkdirSync(path);
  const first = run(path, places);
  for (let i = 0; i < 3; i++) first.swap();
  await first.end();
  cpSync(path, image, { recursive: true });
  const second = run(path, places);
  for (let i = 0; i < 2; i++) second.swap();
  await second.end();
  rmSync(path, { recursive: true });
  cpSync(image, path, { recursive: true });
  return path;
}

test.each(['state', 'copy'] as const)(
  'fault 72: a folder that was rolled back whole is behind its mark (%s)',
  async (kind) => {
    const place = join(newFolder(), 'elsewhere');
    const path = await rolledBack({ [kind]: place });
    const node = run(path, { [kind]: place });
    const restored = await node.restored();
    expect([restored?.by, (restored?.firstIndex ?? 0) > 5, restored?.pastLife]).toEqual([{ is: 'outside' }, true, 0]);
    // What begins then is another life, and the next start an ordinary one.
    node.folder.store.counters.take('life', restored?.pastLife);
    await node.end();
    expect(await run(path, { [kind]: place }).restored()).toBeNull();
  },
);

test('a folder that was not rolled back is not behind, however often it starts', async () => {
  const [path, state] = [newFolder(), newFolder()];
  for (let start = 0; start < 3; start++) {
    const node = run(path, { state });
    expect(await node.restored()).toBeNull();
    node.swap();
    await node.end();
  }
});

test('a mark that is not there, is torn or belongs to another folder pauses nothing, and is told', async () => {
  const [path, state] = [newFolder(), newFolder()];
  const first = run(path, { state });
  first.swap();
  first.folder.store.journal.write('a', { time: 1, event: 'opened', from: '', to: 'pending', effects: [] });
  const { folder } = first.folder.position();
  await first.end();
  const mark = readFileSync(join(state, `${folder}.mark`), 'utf8');
  const sentences: (string | null)[] = [];
  for (const spoil of [
    () => rmSync(join(state, `${folder}.mark`)),
    () => writeFileSync(join(state, `${folder}.mark`), mark.slice(0, 20)),
    () =>
      writeFileSync(
        join(state, `${folder}.mark`),
        mark.replace(folder, 'f'.repeat(32)).replace('"swap":1', '"swap":99'),
      ),
  ]) {
    spoil();
    const node = run(path, { state });
    expect(await node.restored()).toBeNull();
    sentences.push(node.outside.unguarded());
    await node.end();
  }
  expect(sentences.map((sentence) => sentence?.slice(0, 42))).toEqual(
    Array(3).fill('No mark outside of the data folder was fou'),
  );
  const absent = run(path, { copy: join(state, 'not-mounted', 'bundle') });
  expect([await absent.restored(), absent.outside.unguarded()?.slice(0, 7)]).toEqual([null, 'No mark']);
});

test('fault 72: a mark ahead that comes up while the node runs is heard of, and never written over', async () => {
  const place = join(newFolder(), 'disk');
  const path = await rolledBack({ copy: join(place, 'bundle') });
  const away = `${place}-away`;
  cpSync(place, away, { recursive: true });
  rmSync(place, { recursive: true });
  writeFileSync(place, ''); // not mounted
  const node = run(path, { copy: join(place, 'bundle') });
  expect(await node.restored()).toBeNull();
  rmSync(place);
  cpSync(away, place, { recursive: true });
  node.swap();
  await node.end();
  expect([node.late.map(({ swap }) => swap), JSON.parse(readFileSync(join(place, 'bundle.mark'), 'utf8'))]).toEqual([
    [5],
    expect.objectContaining({ swap: 5 }),
  ]);
});

test('fault 72: two copies of a folder that both run are noticed by the mark that they share', async () => {
  const [path, state] = [join(newFolder(), 'data'), newFolder()];
  mkdirSync(path);
  const before = run(path, { state });
  before.swap();
  await before.end();
  const copy = `${path}-copy`;
  cpSync(path, copy, { recursive: true });
  const [one, other] = [run(path, { state }), run(copy, { state })];
  expect([await one.restored(), await other.restored()]).toEqual([null, null]);
  one.swap();
  one.swap();
  await one.end();
  other.swap();
  await other.end();
  expect(other.late).toHaveLength(1);
});

test('fault 72: two folders with the same words that share a place of marks notice each other, once', async () => {
  const place = join(newFolder(), 'bundle');
  const nodes = [run(newFolder(), { copy: place }), run(newFolder(), { copy: place })];
  for (const node of nodes) expect(await node.restored()).toBeNull();
  for (let round = 0; round < 3; round++)
    for (const node of nodes) {
      node.swap();
      await expect.poll(() => readFileSync(`${place}.mark`, 'utf8')).toContain(node.folder.position().folder);
    }
  expect(nodes.map(({ late }) => late.length)).toEqual([1, 1]);
});

test('fault 72: a folder that came back old and without its database goes on past the marks of its words', async () => {
  const [path, image, state] = [join(newFolder(), 'data'), join(newFolder(), 'image'), newFolder()];
  mkdirSync(path);
  seedMadeHere(path);
  const first = run(path, { state });
  first.ownSwap();
  await first.end();
  cpSync(path, image, { recursive: true });
  const second = run(path, { state });
  const last = [second.ownSwap(), second.ownSwap()];
  await second.end();
  rmSync(path, { recursive: true });
  cpSync(image, path, { recursive: true, filter: (name) => !name.includes('sluice.db') });
  const { folder, outside, ownSwap } = run(path, { state });
  leaveOthers({ store: folder.store, highWater: folder.takerHighWater }, (await outside.read()).ofSeed);
  expect([last, ownSwap()]).toEqual([[1, 2], 20_000]);
});

test('fault 110: folders with the same words that run in turn use no key twice, and the second is noticed', async () => {
  const [one, other, state] = [newFolder(), newFolder(), newFolder()];
  /** `elsewhere`: where its words were used from ten thousand on, and no mark of the other one lay. */
  async function turn(path: string, elsewhere = false): Promise<{ key: number; noticed: number }> {
    const { folder, outside, ownSwap, end } = run(path, { state });
    const { store, takerHighWater: highWater } = folder;
    if (elsewhere) highWater.reach(9_999);
    const noticed = leaveOthers({ store, highWater }, elsewhere ? [] : (await outside.read()).ofSeed);
    const key = ownSwap();
    await end();
    return { key, noticed: noticed.length };
  }
  expect([await turn(one, true), await turn(other, true), await turn(one), await turn(other)]).toEqual([
    { key: 10_000, noticed: 0 },
    { key: 10_000, noticed: 0 },
    { key: 10_001, noticed: 0 },
    { key: 30_000, noticed: 1 },
  ]);
  // Each has keys of its own from here on.
  expect([await turn(one), await turn(other)]).toEqual([
    { key: 10_002, noticed: 0 },
    { key: 30_001, noticed: 0 },
  ]);
});

test('fault 90: a mark that somebody without the words made or changed says nothing', async () => {
  const [path, place] = [join(newFolder(), 'data'), join(newFolder(), 'bundle')];
  mkdirSync(path);
  const first = run(path, { copy: place });
  first.swap();
  await first.end();
  const mark = JSON.parse(readFileSync(`${place}.mark`, 'utf8')) as Position & { seal: string };
  for (const made of [
    { ...mark, taker: Number.MAX_SAFE_INTEGER },
    { ...mark, swap: 2 ** 40, seal: '0'.repeat(64) },
    { ...mark, life: mark.life + 1, seal: undefined },
  ]) {
    writeFileSync(`${place}.mark`, JSON.stringify(made));
    const node = run(path, { copy: place });
    expect(await node.restored()).toBeNull();
    await node.end();
  }
  expect(JSON.parse(readFileSync(`${place}.mark`, 'utf8'))).toEqual(mark);
});

const life = `
import { openDataFolder } from '${join(import.meta.dirname, '..', 'engine', 'store', 'data-folder.ts')}';
import { createOutside } from '${join(import.meta.dirname, '..', 'engine', 'outside-mark.ts')}';
const [path, stateFolder] = process.argv.slice(2);
const folder = openDataFolder({ path, network: 'regtest', sealingKey: (p) => new Uint8Array(32).fill(p === 'store' ? 1 : 2), onLost() {} });
const silent = { info() {}, warn() {}, error() {} };
const outside = createOutside({ position: () => folder.position(), key: new Uint8Array(32).fill(3), stateFolder, copyTo: () => null, onAhead() {}, log: silent, restMs: 2 });
setInterval(() => {
  for (let i = 0; i < 5; i++) {
    let index;
    folder.store.atomically(() => folder.highWater.reach((index = folder.store.counters.take('swap'))));
    folder.highWater.used(index);
    outside.follow();
  }
  console.log('runs');
}, 1);
`;

test('killed twenty times between commits and marks, a folder never looks rolled back', async () => {
  const [path, state, code] = [newFolder(), newFolder(), join(newFolder(), 'life.mts')];
  writeFileSync(code, life);
  let swaps = 0;
  for (let kill = 0; kill < 20; kill++) {
    const child = spawn(process.execPath, [code, path, state], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await sleep(20 + ((kill * 7) % 40));
    child.kill('SIGKILL');
    await once(child, 'close');
    const node = run(path, { state });
    expect(await node.restored()).toBeNull();
    expect(node.folder.position().swap).toBeGreaterThan(swaps);
    swaps = node.folder.position().swap;
    await node.end();
  }
}, 120_000);
