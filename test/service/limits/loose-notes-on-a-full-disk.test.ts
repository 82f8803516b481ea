import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, turns } from '../../store/support.ts';
import { looseNode as node, notesAt } from './loose-kit.ts';

/** A place that takes nothing until it is mended. */
function brokenPlace() {
  const folder = join(newFolder(), 'outside');
  writeFileSync(folder, '');
  return {
    path: join(folder, 'loose'),
    mend() {
      rmSync(folder);
      mkdirSync(folder);
      writeFileSync(join(folder, 'loose'), '');
    },
  };
}

test('fault 201, arkade: a loose lock whose note was not written is not made when it is asked for again', async () => {
  const place = brokenPlace();
  const notes = notesAt(join(newFolder(), 'loose'));
  await expect(notes.alsoAt(() => [place.path], turns())).rejects.toThrow(place.path);
  const one = node(notes);
  expect([one.reserve('a', 30_000), one.reserve('a', 30_000)]).toEqual([false, false]);
  place.mend();
  expect(await notes.noted()).toBe(true);
  expect(one.reserve('a', 30_000)).toBe(true);
  expect([await one.locks.noted(), notesAt(place.path).isOut('a')]).toEqual([null, true]);
});

test('fault 201, arkade: the end of loose locks that was not written is, with what is noted next', async () => {
  const place = brokenPlace();
  const notes = notesAt(join(newFolder(), 'loose'));
  notes.note({ is: 'term', term: 1 });
  await expect(notes.alsoAt(() => [place.path], turns())).rejects.toThrow(place.path);
  notes.endTerm('loss');
  expect(await notes.noted()).toBe(false);
  place.mend();
  notes.note({ is: 'end', swap: 'a', well: false });
  expect(await notes.noted()).toBe(true);
  expect([...notesAt(place.path).over(1)]).toEqual(['loss']);
});
