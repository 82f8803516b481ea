import type { Database } from 'better-sqlite3';
import { sql as schema } from './migrations/001-schema.ts';
import { sql as openCounts } from './migrations/002-open-counts.ts';
import { sql as books } from './migrations/003-books.ts';
import { sql as labels } from './migrations/004-labels.ts';
import { sql as boltz } from './migrations/005-boltz.ts';
import { sql as boltzWebhooks } from './migrations/006-boltz-webhooks.ts';
import { sql as batchCoins } from './migrations/007-batch-coins.ts';
import { sql as agreedAt } from './migrations/008-agreed-at.ts';
import { sql as countedValues } from './migrations/009-counted-values.ts';
import { sql as makers } from './migrations/010-makers.ts';
import { sql as promisedClients } from './migrations/011-promised-clients.ts';
import { sql as relayedSecrets } from './migrations/012-relayed-secrets.ts';

/** In order, append-only: a database at version n has run the first n. */
export const migrations: readonly string[] = [
  schema,
  openCounts,
  books,
  labels,
  boltz,
  boltzWebhooks,
  batchCoins,
  agreedAt,
  countedValues,
  makers,
  promisedClients,
  relayedSecrets,
];

export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/**
 * Brings the database to this build's schema, each step in a transaction of its own. A newer database is refused: an
 * older build could misread what a newer one promised.
 */
export function migrate(db: Database, backup: (from: number) => void, steps = migrations): void {
  const from = schemaVersion(db);
  if (from > steps.length) {
    throw new Error(
      `The database has schema ${from}, this build knows up to ${steps.length}: start the newer ` +
        'Sluice that wrote it.',
    );
  }
  if (from === steps.length) return;
  if (from > 0) backup(from);
  for (let version = from; version < steps.length; version++) {
    db.transaction(() => {
      db.exec(steps[version] ?? '');
      db.pragma(`user_version = ${version + 1}`);
    })();
  }
}
