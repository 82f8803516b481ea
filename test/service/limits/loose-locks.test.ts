import { appendFileSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { toArkadeOf } from '../../../engine/service/checklist/wallets.ts';
import { createLooseNotes } from '../../../engine/store/loose-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import { newFolder, turns } from '../../store/support.ts';
import { fundBefore, looseNode as node, notesAt } from './loose-kit.ts';

test('a swap counts from before it is saved until it is seen to have ended well', () => {
  const path = join(newFolder(), 'loose');
  const one = node(notesAt(path));
  expect([one.room(), one.reserve('a', 60_001), one.reserve('a', 60_000), one.room()]).toEqual([
    60_000,
    false,
    true,
    40_000,
  ]);
  // Its create is done once more.
  expect(one.reserve('a', 60_000)).toBe(true);
  // Its lock is out, then claimed, and the payment for it is not settled yet.
  for (const at of ['locked', 'claiming']) one.become('a', at, true);
  expect([one.reserve('b', 40_001), one.reserve('b', 40_000), one.room()]).toEqual([false, true, null]);
  one.become('a', 'claimed', false);
  one.become('b', 'lapsed', false);
  expect(one.room()).toBe(60_000);
  // A database from before knows nothing of them; what is noted does.
  expect(node(notesAt(path)).room()).toBe(60_000);
});

test('what a restored database does not know counts as lost', () => {
  const path = join(newFolder(), 'loose');
  node(notesAt(path)).reserve('a', 60_000);
  const restored = node(notesAt(path));
  expect([restored.room(), restored.reserve('b', 40_001)]).toEqual([40_000, false]);
});

test.each([{ held: false }, { held: true }])('the first loss ends it for good, $held', async ({ held }) => {
  const path = join(newFolder(), 'loose');
  const one = node(notesAt(path), { held });
  one.reserve('a', 30_000);
  one.reserve('b', 20_000);
  one.become('a', 'lost', true);
  await Promise.resolve();
  expect([one.room(), one.setting.enabled, one.locks.state().is]).toEqual([null, held, held ? 'over' : 'off']);
  // A restart with the setting still on, or on again by an older file of settings with the notes of the loss: off.
  if (held) expect(node(notesAt(path), { held }).room()).toBe(null);
  // The owner's act: off, and on again. What is under way counts in the new total.
  one.set(false);
  one.set(true);
  expect(one.locks.state()).toEqual({ is: 'on', counted: 20_000n, total: 100_000n });
  one.become('b', 'lost', true);
  expect(one.room()).toBe(null);
});

test('a loss is never taken back: not by what the node says later, nor by notes in another order', async () => {
  const [here, there] = [join(newFolder(), 'loose'), join(newFolder(), 'outside')];
  const one = node(notesAt(here));
  one.reserve('a', 30_000);
  copyFileSync(here, there);
  const copy = notesAt(there);
  copy.note({ is: 'end', swap: 'a', well: true });
  one.become('a', 'lost', false);
  const both = notesAt(there);
  await both.alsoAt(() => [here], turns());
  const [lock] = both.locks(1);
  expect([lock?.ended, [...both.over(1)]]).toEqual(['lost', expect.arrayContaining(['loss'])]);
});

test('an older database ends it, and so does one that never had it on', () => {
  const notes = notesAt(join(newFolder(), 'loose'));
  node(notes).reserve('a', 30_000);
  notes.endTerm('restored');
  const ended = notesAt(join(newFolder(), 'loose'));
  ended.note({ is: 'term', term: 1 });
  ended.endTerm('off');
  ended.endTerm('restored');
  // Its settings are older as well, and say on.
  expect(node(ended, { held: true }).room()).toBe(null);
  const fresh = notesAt(join(newFolder(), 'loose'));
  fresh.endTerm('restored');
  expect([node(notes, { held: true }).locks.state(), node(fresh, { held: true }).locks.state()]).toEqual([
    { is: 'over', why: 'restored', counted: 30_000n },
    { is: 'over', why: 'restored', counted: 0n },
  ]);
});

test('what cannot be noted outside is not made, and what was, before that is seen, counts', async () => {
  const path = join(newFolder(), 'loose');
  const notes = notesAt(path);
  const one = node(notes);
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  let places: string[] = [];
  await notes.alsoAt(() => places, turns());
  places = [join(file, 'below', 'loose')];
  expect(one.reserve('a', 30_000)).toBe(true);
  expect(await one.locks.noted()).toMatchObject({ refusal: 'unavailable' });
  expect([one.reserve('b', 10_000), one.room()]).toEqual([false, 60_000]);
  expect(one.locks.state()).toMatchObject({ counted: 30_000n });
});

test('a place that comes late is told all, and what was cut off or sealed by others says nothing', async () => {
  const [here, late] = [join(newFolder(), 'loose'), join(newFolder(), 'late')];
  const notes = notesAt(here);
  const one = node(notes);
  one.reserve('a', 30_000);
  await notes.alsoAt(() => [late], turns());
  one.reserve('b', 20_000);
  expect(await one.locks.noted()).toBeNull();
  rmSync(here);
  appendFileSync(late, 'AAAA\nnot base64 at all');
  const stranger = createLooseNotes({ path: late, sealer: createSealer(new Uint8Array(32).fill(2)) });
  expect([node(notesAt(late)).locks.state(), stranger.term()]).toEqual([
    { is: 'on', counted: 50_000n, total: 100_000n },
    null,
  ]);
});

test('off by default, and off when its owner turns it off', () => {
  const notes = notesAt(join(newFolder(), 'loose'));
  const one = node(notes, { enabled: false });
  expect([one.room(), notes.term()]).toEqual([null, null]);
  one.set(true);
  one.reserve('a', 30_000);
  one.set(false);
  expect([one.room(), one.reserve('b', 1_000)]).toEqual([null, false]);
});

test('what can be lost, and what is counted of it, stands beside the switch', () => {
  const notes = notesAt(join(newFolder(), 'loose'));
  const one = node(notes, { held: true });
  const step = (door: boolean) =>
    toArkadeOf({ config: { boltz: { enabled: door, toArkade: one.setting } }, loose: one.locks });
  one.reserve('a', 30_000);
  const [on] = step(true);
  one.become('a', 'lost', true);
  const [over] = step(true);
  one.set(false);
  const [off] = step(true);
  expect([step(false), on?.state, over?.state, off?.state]).toEqual([[], 'done', 'failed', 'done']);
  expect([on?.sentence, over?.sentence, off?.sentence].every((text) => text?.includes('100,000 sats in all'))).toBe(
    true,
  );
  expect([on?.sentence, over?.sentence].every((text) => text?.includes('30,000 sats.'))).toBe(true);
});

test('a loss ends it though a place cannot be written, and another start knows', async () => {
  const [path, good] = [join(newFolder(), 'loose'), join(newFolder(), 'state')];
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  let places = [good];
  const notes = notesAt(path);
  await notes.alsoAt(() => places, turns());
  const one = node(notes, { held: true });
  expect([one.reserve('a', 30_000), one.reserve('b', 20_000)]).toEqual([true, true]);
  places = [join(file, 'below', 'loose'), good];
  one.become('a', 'lost', true);
  await notes.noted();
  places = [good];
  expect([one.locks.state().is, one.reserve('c', 1_000)]).toEqual(['over', false]);
  expect([node(notesAt(path), { held: true }), node(notesAt(good), { held: true })].map((of) => of.room())).toEqual([
    null,
    null,
  ]);
});

test('turned on while a place cannot be written, what is under way counts all the same', async () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  let places: string[] = [];
  const notes = notesAt(join(newFolder(), 'loose'));
  await notes.alsoAt(() => places, turns());
  const one = node(notes);
  expect([one.reserve('a', 60_000), one.reserve('b', 30_000)]).toEqual([true, true]);
  one.set(false);
  places = [join(file, 'below', 'loose')];
  one.set(true);
  expect(await notes.noted()).toBe(false);
  places = [];
  expect([one.locks.state(), one.reserve('c', 10_001)]).toEqual([
    { is: 'on', counted: 90_000n, total: 100_000n },
    false,
  ]);
});

test('a restored database that never saw the lock does not say that it ended well', () => {
  const path = join(newFolder(), 'loose');
  node(notesAt(path)).reserve('a', 60_000);
  const notes = notesAt(path);
  notes.endTerm('restored');
  const restored = node(notes, { held: true });
  restored.become('a', 'lapsed', false);
  restored.set(false);
  restored.set(true);
  expect(restored.locks.state()).toEqual({ is: 'on', counted: 60_000n, total: 100_000n });
  // One that is made since is known from its beginning.
  expect(restored.reserve('b', 10_000)).toBe(true);
  restored.become('b', 'lapsed', false);
  expect(restored.locks.state()).toMatchObject({ counted: 60_000n });
  restored.become('a', 'claimed', false);
  expect(restored.locks.state()).toMatchObject({ counted: 0n });
});

test('a lock that a restored database does not know counts in every term that follows', () => {
  const path = join(newFolder(), 'loose');
  node(notesAt(path)).reserve('a', 60_000);
  const notes = notesAt(path);
  notes.endTerm('restored');
  // There is no row of it here, and its client may take it all the same.
  const restored = node(notes, { held: true });
  for (let turn = 0; turn < 2; turn++) {
    restored.set(false);
    restored.set(true);
    expect([restored.locks.state(), restored.reserve('b', 40_001)]).toEqual([
      { is: 'on', counted: 60_000n, total: 100_000n },
      false,
    ]);
  }
});

test('what was out when its owner turned it off counts after a restore that came then', () => {
  const path = join(newFolder(), 'loose');
  const before = node(notesAt(path));
  before.reserve('a', 60_000);
  before.set(false);
  const notes = notesAt(path);
  notes.endTerm('restored');
  const restored = node(notes, { enabled: false });
  restored.become('a', 'lapsed', false);
  restored.set(true);
  expect(restored.locks.state()).toEqual({ is: 'on', counted: 60_000n, total: 100_000n });
});

test('a create that failed counts until the next term, where nothing was restored', () => {
  const path = join(newFolder(), 'loose');
  node(notesAt(path)).reserve('a', 60_000);
  const again = node(notesAt(path));
  expect(again.locks.state()).toMatchObject({ counted: 60_000n });
  again.set(false);
  again.set(true);
  expect(again.locks.state()).toMatchObject({ counted: 0n });
});

test('in an older database a client that has its coin again says nothing of a lock that it forgot', () => {
  const notes = notesAt(join(newFolder(), 'loose'));
  const one = node(notes, { held: true });
  for (const id of ['a', 'b']) one.reserve(id, 30_000);
  notes.endTerm('restored');
  one.become('a', 'refunded', false);
  one.become('b', 'refunded', false, { returned: {} });
  expect(notes.locks(1)).toEqual([{ swap: 'a', amount: 30_000n, ended: null }]);
  expect(notes.isOut('b')).toBe(false);
});

test('by other terms a swap counts with what it may lose by them, never with less, and within both caps', () => {
  const path = join(newFolder(), 'loose');
  const one = node(notesAt(path));
  expect([one.reserve('a', 30_000), one.reserve('b', 45_000)]).toEqual([true, true]);
  expect([one.room(), Number(one.locks.room('a')), Number(one.locks.room('b'))]).toEqual([25_000, 55_000, 60_000]);
  const again = (id: string, amount: number) => one.locks.reserve(id, sats(amount)) === null;
  expect([again('a', 55_001), again('b', 60_001), again('a', 20_000), one.room()]).toEqual([
    false,
    false,
    true,
    25_000,
  ]);
  expect([again('a', 50_000), one.room(), again('b', 50_001)]).toEqual([true, 5_000, false]);
  expect([node(notesAt(path)).room(), one.locks.state()]).toEqual([
    5_000,
    { is: 'on', counted: 95_000n, total: 100_000n },
  ]);
  one.become('a', 'lost', false);
  expect(again('a', 50_000)).toBe(false);
});

test('lines of one swap count with the largest, in whatever order they are read', async () => {
  const [here, there] = [join(newFolder(), 'loose'), join(newFolder(), 'outside')];
  notesAt(here).note({ is: 'lock', term: 1, swap: 'a', amount: 50_000 });
  notesAt(there).note({ is: 'lock', term: 1, swap: 'a', amount: 30_000 });
  const both = notesAt(here);
  await both.alsoAt(() => [there], turns());
  expect(both.locks(1)).toEqual([{ swap: 'a', amount: 50_000n, ended: null }]);
});

test('who creates and does not pay fills it no longer than until that is given up', () => {
  const path = join(newFolder(), 'loose');
  const one = node(notesAt(path));
  for (const [id, amount] of [
    ['a', 60_000],
    ['b', 40_000],
  ] as const)
    one.reserve(id, amount);
  // Watched until its client could take back what it sends now.
  one.become('a', 'stopped', true, { why: 'expired' });
  expect(one.room()).toBe(60_000);
  // Another amount than was asked for is quoted for.
  one.become('b', 'stopped', true, { why: 'invalid' });
  expect([one.room(), one.locks.state()]).toEqual([60_000, { is: 'on', counted: 40_000n, total: 100_000n }]);
  one.become('b', 'locked', true);
  one.become('b', 'returned', true);
  expect(one.locks.state()).toMatchObject({ counted: 0n });
});

test('fault 192, arkade: a lock of another amount counts until none may be quoted for it', () => {
  const path = join(newFolder(), 'loose');
  const one = node(notesAt(path));
  for (const id of ['a', 'b']) expect(one.reserve(id, 50_000)).toBe(true);
  one.become('a', 'stopped', true, { why: 'invalid' });
  one.setClock(fundBefore - 1);
  expect(one.room()).toBe(null);
  // Nothing is written of it, and the clock alone says that nothing of ours comes any more.
  one.setClock(fundBefore);
  expect([one.room(), one.locks.state()]).toEqual([50_000, { is: 'on', counted: 50_000n, total: 100_000n }]);
  one.become('b', 'stopped', true, { why: 'invalid' });
  expect([one.room(), node(notesAt(path)).room()]).toEqual([60_000, 60_000]);
  // A clock that goes back has nothing placed that does not count.
  one.setClock(fundBefore - 600);
  expect([one.reserve('a', 50_000), one.reserve('b', 40_000), one.reserve('c', 40_000)]).toEqual([false, false, true]);
});

test('fault 192, arkade: one that was agreed on anew, or may have been locked for, counts on', () => {
  const one = node(notesAt(join(newFolder(), 'loose')));
  for (const [id, amount] of [
    ['a', 40_000],
    ['b', 30_000],
    ['c', 20_000],
  ] as const)
    expect(one.reserve(id, amount)).toBe(true);
  one.become('a', 'stopped', true, { why: 'invalid' });
  one.become('a', 'pending', true);
  // What was called off, and may come all the same.
  one.become('b', 'stopped', true, { why: 'late', doubt: {} });
  one.become('c', 'stopped', true, { why: 'invalid', doubt: {} });
  one.setClock(fundBefore + 3_600);
  expect(one.locks.state()).toMatchObject({ counted: 90_000n });
  one.become('b', 'stopped', true, { why: 'late' });
  one.become('c', 'stopped', true, { why: 'invalid' });
  expect(one.locks.state()).toMatchObject({ counted: 40_000n });
});

test('fault 192, arkade: one that is past its window is not taken into a new total', () => {
  const one = node(notesAt(join(newFolder(), 'loose')));
  expect(one.reserve('a', 50_000)).toBe(true);
  one.become('a', 'stopped', true, { why: 'invalid' });
  one.set(false);
  one.setClock(fundBefore);
  one.set(true);
  expect(one.locks.state()).toEqual({ is: 'on', counted: 0n, total: 100_000n });
});

test('fault 152: a coin that its client paid to itself is no loss, one that was sent from here is', async () => {
  const notes = notesAt(join(newFolder(), 'loose'));
  const one = node(notes, { sent: ['aa'] });
  for (const id of ['a', 'b']) one.reserve(id, 30_000);
  one.become('a', 'lost', true, { lock: { txid: 'bb', vout: 0 } });
  await Promise.resolve();
  expect([one.setting.enabled, one.locks.state()]).toEqual([true, { is: 'on', counted: 30_000n, total: 100_000n }]);
  one.become('b', 'lost', true, { lock: { txid: 'aa', vout: 0 } });
  await Promise.resolve();
  expect([one.setting.enabled, one.room()]).toEqual([false, null]);
});

test('fault 152: a lock that a restored database forgot is a loss, whoever seems to have sent it', () => {
  const path = join(newFolder(), 'loose');
  node(notesAt(path)).reserve('a', 60_000);
  const notes = notesAt(path);
  notes.endTerm('restored');
  node(notes, { held: true }).become('a', 'lost', true, { lock: { txid: 'bb', vout: 0 } });
  expect(notes.locks(1).map(({ ended }) => ended)).toEqual(['lost']);
});
