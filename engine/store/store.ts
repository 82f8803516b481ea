import type { Database } from 'better-sqlite3';
import type { Effect } from '../swap/machine.ts';
import { countersTable } from './counters.ts';
import { developerKeysTable } from './developer-keys.ts';
import { effectsTable } from './effects.ts';
import { hashesTable, preimagesTable } from './hashes.ts';
import { intentsTable } from './intents.ts';
import { journalTable } from './journal.ts';
import { ledgerTable } from './ledger.ts';
import { ownCoinsTable } from './own-coins.ts';
import { reservationsTable } from './reservations.ts';
import type { Sealer } from './sealer.ts';
import { settingsTable } from './settings.ts';
import { swapsTable } from './swaps.ts';
import { transactionsTable } from './transactions.ts';

/** All tables over one connection; `atomically` makes what happens inside one durable commit, or nothing. `noted` hears of each new intent once it is saved. */
export function createStore(db: Database, sealer: Sealer, noted: (index: number) => void = () => undefined) {
  const reservations = reservationsTable(db);
  const counters = countersTable(db);
  return {
    swaps: swapsTable(db),
    hashes: hashesTable(db),
    preimages: preimagesTable(db, sealer),
    counters,
    effects: effectsTable<Effect>(db),
    intents: intentsTable(db, counters, noted),
    transactions: transactionsTable(db, sealer),
    ownCoins: ownCoinsTable(db),
    reservations,
    journal: journalTable(db),
    ledger: ledgerTable(db),
    developerKeys: developerKeysTable(db),
    settings: settingsTable(db),
    atomically<T>(work: () => T): T {
      try {
        return db.transaction(work).immediate();
      } catch (cause) {
        reservations.forgetTotals();
        throw cause;
      }
    },
    close(): void {
      db.close();
    },
  };
}

export type Store = ReturnType<typeof createStore>;
