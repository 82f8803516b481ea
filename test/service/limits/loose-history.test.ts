import { expect, test } from 'vitest';
import { createLooseNotes } from '../../../engine/store/loose-notes.ts';
import { createSealer } from '../../../engine/store/sealer.ts';
import { looseNode } from './loose-kit.ts';

const newNotes = () => createLooseNotes({ path: null, sealer: createSealer(new Uint8Array(32).fill(1)) });

test('fault 181, arkade: what may be lost is told as fast after thousands of creates that nobody paid', () => {
  const notes = newNotes();
  const node = looseNode(notes);
  // Each of which ended well half an hour later: 400 at once from one address, for two days.
  for (let i = 0; i < 40_000; i++) {
    notes.note({ is: 'lock', term: 1, swap: `swap ${i}`, amount: 1_000 });
    notes.note({ is: 'end', swap: `swap ${i}`, well: true });
  }
  expect([node.reserve('a', 60_000), node.room()]).toEqual([true, 40_000]);
  // The fastest of a few, for the machine may be busy.
  const each = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    node.room();
    return performance.now() - begun;
  });
  expect(Math.min(...each)).toBeLessThan(0.5);
}, 60_000);

test('fault 181, arkade: a loss counts whatever else is noted of its lock, in any order', () => {
  const lines = [
    { is: 'lock', term: 1, swap: 'a', amount: 1_000 },
    { is: 'lock', term: 1, swap: 'a', amount: 3_000 },
    { is: 'lock', term: 2, swap: 'a', amount: 2_000 },
    { is: 'end', swap: 'a', well: true },
    { is: 'end', swap: 'a', well: false },
  ] as const;
  for (const order of ordersOf(lines)) {
    const notes = newNotes();
    for (const line of order) notes.note(line);
    expect([notes.locks(1), notes.locks(2), notes.isOut('a')]).toEqual([
      [{ swap: 'a', amount: 3_000n, ended: 'lost' }],
      [{ swap: 'a', amount: 2_000n, ended: 'lost' }],
      false,
    ]);
  }
});

test('fault 181, arkade: a lock that ended well counts no more, be its end noted before it or after', () => {
  const lines = [
    { is: 'lock', term: 1, swap: 'a', amount: 1_000 },
    { is: 'lock', term: 2, swap: 'a', amount: 2_000 },
    { is: 'end', swap: 'a', well: true },
  ] as const;
  for (const order of ordersOf(lines)) {
    const notes = newNotes();
    for (const line of order) notes.note(line);
    expect([notes.locks(1), notes.locks(2), notes.isOut('a')]).toEqual([[], [], false]);
  }
});

function ordersOf<T>(lines: readonly T[]): T[][] {
  if (lines.length === 0) return [[]];
  return lines.flatMap((line, i) => ordersOf(lines.filter((_, at) => at !== i)).map((rest) => [line, ...rest]));
}
