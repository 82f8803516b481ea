import type { Database } from 'better-sqlite3';
import { sql as swaps } from './migrations/001-swaps.ts';
import { sql as begun } from './migrations/002-begun.ts';
import { sql as timesAsked } from './migrations/003-asked.ts';
import { sql as intents } from './migrations/004-intents.ts';
import { sql as reduced } from './migrations/005-reduced.ts';
import { sql as ownCoins } from './migrations/006-own-coins.ts';
import { sql as signed } from './migrations/007-signed.ts';
import { sql as versions } from './migrations/008-versions.ts';
import { sql as money } from './migrations/009-money.ts';
import { sql as onchain } from './migrations/010-onchain.ts';
import { sql as evm } from './migrations/011-evm.ts';
import { sql as exits } from './migrations/012-exits.ts';
import { sql as takerSwaps } from './migrations/013-taker-swaps.ts';
import { sql as outlays } from './migrations/014-outlays.ts';

/** In order, append-only: a database at version n has run the first n. */
export const migrations: readonly string[] = [
  swaps,
  begun,
  timesAsked,
  intents,
  reduced,
  ownCoins,
  signed,
  versions,
  money,
  onchain,
  evm,
  exits,
  takerSwaps,
  outlays,
];

export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/**
 * Brings the database to this build's schema, each step in a transaction of its own. A newer database is refused: an
 * older build could misread what a newer one promised.
 */
export function migrate(db: Database, backup: (from: number) => void, upTo = migrations.length): void {
  const from = schemaVersion(db);
  if (from > migrations.length) {
    throw new Error(
      `The database has schema ${from}, this build knows up to ${migrations.length}: start a newer Sluice, or restore an older backup.`,
    );
  }
  if (from >= upTo) return;
  if (from > 0) backup(from);
  for (let version = from; version < upTo; version++) {
    db.transaction(() => {
      db.exec(migrations[version] ?? '');
      db.pragma(`user_version = ${version + 1}`);
    })();
  }
}
