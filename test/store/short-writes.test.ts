import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asPreimage } from '../../engine/domain/hash.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import { createPartialNotes, type PartialNote } from '../../engine/store/partial-notes.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { newFolder } from './support.ts';

/** As a disk that has room for two bytes more: the call succeeds, and says how many it took. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return { ...fs, writeSync: (file: number, text: string) => fs.writeSync(file, text.slice(0, 2)) };
});

test('fault 3: a signature is never given by a note of which the disk took a part', () => {
  const path = join(newFolder(), 'partials');
  const sealer = createSealer(new Uint8Array(32).fill(1));
  const coin = { txid: '11'.repeat(32), vout: 1 };
  const note: PartialNote = {
    ...{ subject: 'swap', coin, purpose: 'claim', own: false, txid: '22'.repeat(32) },
    ...{ sighash: new Uint8Array(32).fill(3), outputs: new Uint8Array(32).fill(4), bytes: new Uint8Array(90).fill(5) },
    preimage: asPreimage(new Uint8Array(32).fill(6)),
  };
  void createPartialNotes({ path, sealer }).note(note);
  expect(createPartialNotes({ path, sealer }).of(coin)).toEqual([note]);
});

test('fault 3: the mark beside the database is a whole number', () => {
  const folder = newFolder();
  const marks = createHighWater(folder);
  marks.reach(12_345);
  marks.used(12_345);
  expect(readFileSync(join(folder, 'high-water.last'), 'utf8')).toBe('12346\n');
});
