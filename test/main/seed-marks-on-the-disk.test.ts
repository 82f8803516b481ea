import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { seedFromElsewhere } from '../../engine/store/seed-marks.ts';
import { newFolder } from '../store/support.ts';

/** The paths that were synced, the last time after all that was written or removed there. */
const synced = new Set<string>();
const opened = new Map<number, string>();

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    openSync(path: string, ...more: [number]) {
      const file = fs.openSync(path, ...more);
      opened.set(file, path);
      return file;
    },
    fsyncSync(file: number) {
      fs.fsyncSync(file);
      synced.add(opened.get(file) ?? '');
    },
    rmSync(path: string, ...more: [object]) {
      synced.clear();
      fs.rmSync(path, ...more);
    },
  };
});

beforeEach(() => synced.clear());

test('fault 294, store: the mark of words from elsewhere is on the disk before they are sealed', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'taker-high-water'), '7\n');
  seedFromElsewhere(folder);
  expect([...synced]).toEqual([join(folder, 'high-water.last'), folder]);
});

test('fault 294, store: words from elsewhere are not sealed where their mark cannot be written', () => {
  const folder = newFolder();
  symlinkSync(join(folder, 'not', 'there'), join(folder, 'high-water.last'));
  expect(() => {
    seedFromElsewhere(folder);
  }).toThrow('ENOENT');
});
