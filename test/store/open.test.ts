import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bindSeed, openDatabase } from '../../engine/store/open.ts';

let folder: string;
const before = process.umask();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-open-'));
  process.umask(0o022);
});
afterEach(() => {
  process.umask(before);
  rmSync(folder, { recursive: true, force: true });
});

function modeOf(name = ''): string | null {
  const path = join(folder, name);
  return existsSync(path) ? (statSync(path).mode & 0o777).toString(8) : null;
}

test.skipIf(process.platform === 'win32').each(['new', 'there already'])(
  'a database that is %s is for its owner alone, and so is all beside it',
  (kind) => {
    const parts = ['sluice.db', 'sluice.db-wal', 'sluice.db-shm'];
    if (kind !== 'new') {
      openDatabase(folder).close();
      for (const part of parts) {
        if (part !== 'sluice.db') writeFileSync(join(folder, part), '');
        chmodSync(join(folder, part), 0o644);
      }
    }
    chmodSync(folder, 0o755);
    const db = openDatabase(folder);
    db.exec('CREATE TABLE more (a)');
    expect([modeOf(), ...parts.map(modeOf)]).toEqual(['700', '600', '600', '600']);
    db.close();
  },
);

test('a database is opened under the seed that it belongs to, and under no other', () => {
  const db = openDatabase(folder);
  bindSeed(db, 'ours');
  bindSeed(db, 'ours');
  expect(() => bindSeed(db, 'theirs')).toThrow(/belongs to another seed/);
  db.close();
});
