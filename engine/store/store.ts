import type { Database } from 'better-sqlite3';
import { boltzSwapsTable } from './boltz-swaps.ts';
import { bookCoinsTable, ownBatchesTable } from './book-coins.ts';
import { chainCoins } from './chain-coins.ts';
import { countersTable } from './counters.ts';
import { developerKeysTable } from './developer-keys.ts';
import { earningsOf } from './earnings.ts';
import { effectsTable } from './effects.ts';
import { evmLocksTable } from './evm-locks.ts';
import { exitsTable } from './exits.ts';
import { hashesTable, preimagesTable } from './hashes.ts';
import { intentsTable } from './intents.ts';
import { journalTable } from './journal.ts';
import { labelsTable } from './labels.ts';
import { ledgerTable } from './ledger.ts';
import { createLooseNotes, type LooseNotes } from './loose-notes.ts';
import { noncesTable } from './nonces.ts';
import { outlaysTable } from './outlays.ts';
import { ownCoinsTable } from './own-coins.ts';
import { createPartialNotes, type PartialNotes } from './partial-notes.ts';
import { reservationsTable } from './reservations.ts';
import type { Sealer } from './sealer.ts';
import { settingsTable } from './settings.ts';
import { createSpareClaims, type SpareClaims } from './spare-claims.ts';
import { swapsTable } from './swaps.ts';
import { takerSwapsTable } from './taker-swaps.ts';
import { transactionsTable } from './transactions.ts';

/**
 * All tables over one connection; `atomically` makes what happens inside one durable commit, or nothing. `noted` hears
 * of each new intent once it is saved.
 */
export function createStore(
  db: Database,
  sealer: Sealer,
  noted: (index: number) => void = () => undefined,
  {
    partials = createPartialNotes({ path: null, sealer }),
    loose = createLooseNotes({ path: null, sealer }),
    spareClaims = createSpareClaims({ path: null, sealer }),
  }: { readonly partials?: PartialNotes; readonly loose?: LooseNotes; readonly spareClaims?: SpareClaims } = {},
) {
  const reservations = reservationsTable(db);
  const counters = countersTable(db);
  const nonces = noncesTable(db);
  const settings = settingsTable(db);
  const transactions = transactionsTable(db, sealer);
  const transaction = db.transaction((work: () => unknown) => work());
  /** What is done once the transaction that stands has reached the disk, and never if it does not. */
  const later: (() => void)[] = [];

  function afterwards(act: () => void): void {
    if (db.inTransaction) later.push(act);
    else act();
  }

  return {
    swaps: swapsTable(db),
    takerSwaps: takerSwapsTable(db),
    hashes: hashesTable(db),
    preimages: preimagesTable(db, sealer),
    counters,
    effects: effectsTable(db),
    intents: intentsTable(db, counters, (index) => afterwards(() => noted(index))),
    transactions,
    nonces,
    evmLocks: evmLocksTable(db),
    outlays: outlaysTable(db),
    ownCoins: ownCoinsTable(db),
    exits: exitsTable(db),
    reservations,
    journal: journalTable(db),
    ledger: ledgerTable(db),
    earnings: earningsOf(db),
    bookCoins: bookCoinsTable(db),
    ownBatches: ownBatchesTable(db),
    labels: labelsTable(db),
    boltzSwaps: boltzSwapsTable(db),
    developerKeys: developerKeysTable(db),
    /** Outside of the database, and never undone with a transaction of it. */
    partials,
    /** As well. */
    loose,
    /** As well. */
    spareClaims,
    settings,
    chainCoins: chainCoins(settings, transactions),
    /** One within another is undone by itself where it throws, and durable with the outer one. */
    atomically<T>(work: () => T): T {
      const outermost = !db.inTransaction;
      const before = later.length;
      let result: T;
      try {
        result = transaction.immediate(work) as T;
      } catch (cause) {
        later.length = before;
        reservations.forgetTotals();
        nonces.forgetRuns();
        throw cause;
      }
      if (outermost) for (const act of later.splice(0)) act();
      return result;
    },
    close(): void {
      db.close();
    },
  };
}

export type Store = ReturnType<typeof createStore>;
