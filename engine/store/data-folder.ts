import { join } from 'node:path';
import { toHex } from '../domain/hex.ts';
import { forgetCopy } from './backup.ts';
import { createHighWater, type HighWater } from './high-water.ts';
import { intentsCounter } from './intents.ts';
import { createLooseNotes, looseNotesName } from './loose-notes.ts';
import { bindNetwork, bindSeed, forgetDatabase, openDatabase } from './open.ts';
import { createPartialNotes, notesName } from './partial-notes.ts';
import { restoredFrom, type Restored } from './restored.ts';
import { positionOf, type Position } from './position.ts';
import { createSealer } from './sealer.ts';
import { takerMarks } from './seed-marks.ts';
import { createSpareClaims, spareClaimsName } from './spare-claims.ts';
import { createStore, type Store } from './store.ts';

/** The database, and the marks beside it by which an older one in its place is noticed (facts/faults.md 5). */
export interface DataFolder {
  readonly store: Store;
  readonly highWater: HighWater;
  readonly takerHighWater: HighWater;
  /** How far the database has come, of which marks outside of the folder tell. */
  position(): Position;
  /** Null for the database that this folder was last used with; `outside`: marks elsewhere that are ahead of it. */
  restored(outside: readonly Position[]): Restored | null;
  /** Call once what follows from `restored` is on the disk: the mark of a copy goes. */
  forgetCopy(): void;
  close(): void;
  /** Removes the database of a sandbox that starts over, once it is closed. */
  forget(): void;
}

/** Opens it for one network and one seed, for ever. `onLost` hears of a mark that could not be written. */
export function openDataFolder(options: {
  path: string;
  network: string;
  sealingKey: (purpose: 'store' | 'fingerprint' | 'partials') => Uint8Array;
  onLost: (cause: unknown) => void;
}): DataFolder {
  const { path, sealingKey, onLost } = options;
  const db = openDatabase(path);
  bindNetwork(db, options.network);
  const fingerprint = toHex(sealingKey('fingerprint'));
  bindSeed(db, fingerprint);
  const intentMark = createHighWater(path, 'intents', undefined, onLost);
  const sealer = createSealer(sealingKey(notesName));
  const partials = createPartialNotes({ path: join(path, notesName), sealer });
  const loose = createLooseNotes({ path: join(path, looseNotesName), sealer });
  const spareClaims = createSpareClaims({ path: join(path, spareClaimsName), sealer });
  const store = createStore(db, createSealer(sealingKey('store')), (index) => intentMark.used(index), {
    partials,
    loose,
    spareClaims,
  });
  const highWater = createHighWater(path, undefined, undefined, onLost);
  return {
    store,
    highWater,
    takerHighWater: takerMarks(path),
    position: () => positionOf(db, fingerprint),
    restored: (outside) =>
      restoredFrom(
        db,
        store.counters.peek('swap'),
        highWater,
        intentMark.ahead(store.counters.peek(intentsCounter)),
        outside,
      ),
    forgetCopy: () => forgetCopy(db),
    close: () => store.close(),
    forget: () => forgetDatabase(path),
  };
}
