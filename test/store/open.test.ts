import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asHash160, asPreimage } from '../../engine/domain/hash.ts';
import { bindSeed, openDatabase } from '../../engine/store/open.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { createStore } from '../../engine/store/store.ts';

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

test.skipIf(process.platform === 'win32').each(['new', 'of an older build'])(
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

test.each(['marked', 'of an earlier build'])(
  'a database that is %s is opened under the seed that it belongs to, and under no other',
  (kind) => {
    const db = openDatabase(folder);
    const [right, wrong] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    if (kind === 'marked') bindSeed(db, right, 'ours');
    else
      createStore(db, createSealer(right)).preimages.keep(
        asHash160(new Uint8Array(20)),
        asPreimage(new Uint8Array(32)),
        0,
      );
    expect(() => bindSeed(db, wrong, 'theirs')).toThrow(/belongs to another seed/);
    bindSeed(db, right, 'ours');
    bindSeed(db, right, 'ours');
    expect(() => bindSeed(db, wrong, 'theirs')).toThrow(/belongs to another seed/);
    db.close();
  },
);
