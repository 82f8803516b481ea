import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPreimage } from '../../engine/domain/hash.ts';
import { createPartialNotes, type PartialNote } from '../../engine/store/partial-notes.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { newFolder, turns } from './support.ts';

const sealer = createSealer(new Uint8Array(32).fill(1));
const noteOf = (change: Partial<PartialNote> = {}): PartialNote => ({
  subject: 'swap',
  coin: { txid: '11'.repeat(32), vout: 1 },
  purpose: 'claim',
  own: false,
  txid: '22'.repeat(32),
  sighash: new Uint8Array(32).fill(3),
  outputs: new Uint8Array(32).fill(4),
  bytes: new Uint8Array(90).fill(5),
  preimage: asPreimage(new Uint8Array(32).fill(6)),
  ...change,
});
const { coin } = noteOf();
const opened = (path: string, by = sealer) => createPartialNotes({ path, sealer: by });

test('what was noted is there after a restart, with its secret, which the file shows to nobody', () => {
  const path = join(newFolder(), 'partials');
  const notes = opened(path);
  void notes.note(noteOf());
  void notes.note(noteOf({ sighash: new Uint8Array(32).fill(7) }));
  void notes.note(noteOf({ coin: { ...coin, vout: 2 }, purpose: 'refund', preimage: null }));
  expect(opened(path).all()).toEqual(notes.all());
  expect(opened(path).of(coin)).toHaveLength(2);
  expect(opened(path).of({ ...coin, vout: 9 })).toEqual([]);
  expect(readFileSync(path, 'utf8')).not.toContain('06'.repeat(32));
});

test('the same signature is noted once, and no coin is signed for to both of its sides', () => {
  const path = join(newFolder(), 'partials');
  const notes = opened(path);
  for (let i = 0; i < 3; i++) void notes.note(noteOf());
  expect(notes.of(coin)).toHaveLength(1);
  const other = noteOf({ purpose: 'refund', sighash: new Uint8Array(32).fill(8) });
  expect(() => notes.note(other)).toThrow(/other side/);
  expect(() => opened(path).note(other)).toThrow(/other side/);
  expect(
    opened(path)
      .of(coin)
      .map(({ purpose }) => purpose),
  ).toEqual(['claim']);
});

test('where one node is provider and client, the note of the one stands for nothing of the other', () => {
  const path = join(newFolder(), 'partials');
  const notes = opened(path);
  void notes.note(noteOf({ subject: 'own swap', own: true, preimage: null }));
  void notes.note(noteOf());
  const expected = [
    ['own swap', true, null],
    ['swap', false, noteOf().preimage],
  ];
  for (const of of [notes, opened(path)])
    expect(of.all().map(({ subject, own, preimage }) => [subject, own, preimage])).toEqual(expected);
});

test('a coin that we take ourselves is signed for to nobody else, in no copy', () => {
  const path = join(newFolder(), 'partials');
  void opened(path).noteOwn({ subject: 'swap', coin, purpose: 'refund' });
  expect(() => {
    void opened(path).note(noteOf());
  }).toThrow(/other side/);
  expect(opened(path).of(coin)).toMatchObject([{ own: true, purpose: 'refund' }]);
});

test('a line that was cut off, or that somebody else wrote, says nothing and spoils none', () => {
  const path = join(newFolder(), 'partials');
  void opened(path).note(noteOf());
  const whole = readFileSync(path).length;
  void opened(path).note(noteOf({ sighash: new Uint8Array(32).fill(7) }));
  truncateSync(path, whole + 40);
  appendFileSync(path, 'no line of ours');
  expect(opened(path).all()).toEqual([noteOf()]);
  void opened(path).note(noteOf({ sighash: new Uint8Array(32).fill(9) }));
  expect(opened(path).all()).toHaveLength(2);
  expect(opened(path, createSealer(new Uint8Array(32).fill(2))).all()).toEqual([]);
});

test('a folder that was rolled back as a whole finds what lies outside of it', async () => {
  const folder = newFolder();
  const place = join(newFolder(), 'not yet there', 'a.partials');
  const notes = opened(join(folder, 'partials'));
  await notes.alsoAt(() => [place], turns());
  expect(await notes.note(noteOf())).toBe(true);
  rmSync(join(folder, 'partials'));
  const again = opened(join(folder, 'partials'));
  expect(again.all()).toEqual([]);
  await again.alsoAt(() => [place], turns());
  expect(again.all()).toEqual([noteOf()]);
});

test('a place that cannot be written is told of, and what lies in another counts as given', async () => {
  const folder = newFolder();
  const shut = join(folder, 'shut');
  writeFileSync(shut, '');
  const open = join(newFolder(), 'a.partials');
  const notes = opened(join(folder, 'partials'));
  let places: string[] = [];
  await notes.alsoAt(() => places, turns());
  places = [join(shut, 'b.partials'), open];
  expect(await notes.note(noteOf())).toBe(false);
  // Known to be away it lets nothing else count as given.
  expect(() => notes.note(noteOf({ coin: { ...coin, vout: 3 } }))).toThrow('outside of the data folder');
  expect(notes.all()).toHaveLength(1);
  expect(notes.of(coin)).toHaveLength(1);
  const none = opened(join(shut, 'partials'));
  expect(() => {
    void none.note(noteOf());
  }).toThrow();
  expect(none.of(coin)).toEqual([]);
  mkdirSync(join(folder, 'copy'));
  copyFileSync(open, join(folder, 'copy', 'partials'));
  expect(opened(join(folder, 'copy', 'partials')).of(coin)).toHaveLength(1);
});
