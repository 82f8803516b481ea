import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inTurnAt } from '../../engine/rescue/turn-at.ts';
import { bundleIn, keepingAt, stateOf } from './keeping.ts';

/** Happens once, in the middle of a write: before its first byte, before the last look at the place, and after it. */
const meanwhile = vi.hoisted(() => ({
  atOpen: null as (() => unknown) | null,
  atRename: null as (() => unknown) | null,
  afterLook: null as (() => unknown) | null,
}));

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const once = async (which: keyof typeof meanwhile) => {
    const act = meanwhile[which];
    meanwhile[which] = null;
    await act?.();
  };
  return {
    ...fs,
    async rename(from: string, to: string) {
      if (from.includes('.new-')) await once('afterLook');
      return fs.rename(from, to);
    },
    async open(path: string, flags: string, mode?: number) {
      const file = await fs.open(path, flags, mode);
      if (flags === 'wx') await once('atOpen');
      const { sync } = file;
      return Object.assign(file, {
        async sync() {
          await sync.call(file);
          await once('atRename');
        },
      });
    },
  };
});

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-two-nodes-'));
  path = join(folder, 'rescue.bundle');
  Object.assign(meanwhile, { atOpen: null, atRename: null, afterLook: null });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const spared = () => readdirSync(folder).filter((name) => name.includes('.before-'));

function nodes() {
  const [one, other] = [keepingAt(path, { seed: 1 }), keepingAt(path, { seed: 2 })];
  one.set('a', 'one');
  other.set('b', 'other');
  return { one, other };
}

test('a node that writes a place never takes the unfinished file of another for its own', async () => {
  const { one, other } = nodes();
  let others = Promise.resolve(false);
  let goOn = () => {};
  meanwhile.atOpen = () =>
    new Promise<void>((otherBegan) => {
      meanwhile.atOpen = () => {
        otherBegan();
        return new Promise<void>((resolve) => (goOn = resolve));
      };
      others = other.write();
    });
  expect([await one.write(), stateOf(bundleIn(readFileSync(path)))]).toEqual([true, one.history.at(-1)]);
  goOn();
  expect([await others, stateOf(bundleIn(readFileSync(path), 2))]).toEqual([true, other.history.at(-1)]);
  expect(spared().map((name) => stateOf(bundleIn(readFileSync(join(folder, name)))))).toEqual([one.history.at(-1)]);
});

test('what another node put there while ours was written is kept', async () => {
  const { one, other } = nodes();
  meanwhile.atRename = () => other.write();
  expect(await one.write()).toBe(true);
  expect([stateOf(bundleIn(readFileSync(path))), spared().length]).toEqual([one.history.at(-1), 1]);
  expect(stateOf(bundleIn(readFileSync(join(folder, spared()[0] ?? '')), 2))).toBe(other.history.at(-1));
});

test('what a crash left beside a place goes with the next whole file, and what is being written stays', async () => {
  const { one } = nodes();
  const [left, written, owners] = [`${path}.new-00112233aabbccdd`, `${path}.new-ffeeddcc33221100`, `${path}.new-year`];
  for (const file of [left, written, owners]) writeFileSync(file, 'x');
  for (const file of [left, owners]) utimesSync(file, 1_700_000_000, 1_700_000_000);
  await one.write();
  expect(readdirSync(folder).toSorted()).toEqual(
    ['rescue.bundle', 'rescue.bundle.new-ffeeddcc33221100', 'rescue.bundle.new-year'].toSorted(),
  );
});

test('fault 153: two nodes that look at a place at once do not both take it, and lose nothing', async () => {
  const { one, other } = nodes();
  let others: boolean | null = null;
  meanwhile.afterLook = async () => {
    others = await other.write();
  };
  expect([await one.write(), others, stateOf(bundleIn(readFileSync(path)))]).toEqual([true, false, one.history.at(-1)]);
  expect([await other.write(), stateOf(bundleIn(readFileSync(path), 2))]).toEqual([true, other.history.at(-1)]);
  expect(spared().map((name) => stateOf(bundleIn(readFileSync(join(folder, name)))))).toEqual([one.history.at(-1)]);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('what a node that died left of its turn is in the way for seconds, and of nobody later', async () => {
  const { one } = nodes();
  const turn = `${path}.turn`;
  writeFileSync(turn, 'of another');
  expect(await one.write()).toBe(false);
  utimesSync(turn, Date.now() / 1_000 - 11, Date.now() / 1_000 - 11);
  expect([await one.write(), readdirSync(folder)]).toEqual([true, ['rescue.bundle']]);
});

test('a node whose turn another one took over learns it, and leaves the turn of that one', async () => {
  const turn = `${path}.turn`;
  const took = inTurnAt(path, Date.now(), async (stillOurs) => {
    await stillOurs();
    rmSync(turn);
    writeFileSync(turn, 'of another');
    await stillOurs();
  });
  await expect(took).rejects.toThrow('another node writes there at this moment');
  expect(readFileSync(turn, 'utf8')).toBe('of another');
});
