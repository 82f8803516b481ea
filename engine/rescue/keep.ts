import { join } from 'node:path';
import type { BitcoinNetwork } from '../domain/chain.ts';
import type { Unix } from '../domain/time.ts';
import type { BundleKeeper } from '../runtime/bundle.ts';
import { encode } from '../store/codec.ts';
import type { Store } from '../store/store.ts';
import type { Bundle } from './bundle.ts';
import { createContents, type Contents } from './contents.ts';
import { entryOf } from './entry.ts';
import { createPatience } from './patience.ts';
import { createPlace, type Place, type ReadBack } from './place.ts';
import { startReadBack } from './read-back.ts';
import type { SealingKey } from './segments.ts';

/** In the data folder. */
export const bundleName = 'rescue.bundle';

/** A place that does not answer for so long is away. */
const patienceMs = 5_000;
/** What is not needed any more may stay for so long: nothing waits for it, and many go at once. */
const lazyMs = 5_000;
const againMs = 5_000;
/** Between two writes that nobody waits for: a burst would have all that is open sealed and synced without a pause. */
const restMs = 250;
/** After so long without a write, a file most of which is over is written anew. */
const idleMs = 60_000;

export interface KeeperOptions {
  readonly store: Store;
  readonly walletTerms: () => Bundle['walletTerms'];
  readonly network: BitcoinNetwork;
  readonly keys: SealingKey;
  /** The data folder; money is not risked before what lies there brings it home. */
  readonly folder: string;
  /** A file elsewhere, where the owner chose one. */
  readonly copyTo: () => string | null;
  readonly wall: () => Unix;
  /** A sentence for the owner, null once all places are written again. */
  readonly onState: (sentence: string | null) => void;
  /** A sentence for the owner of what was damaged, or no bundle of ours, and is written anew. */
  readonly onDamage: (sentence: string) => void;
}

export interface Keeper extends BundleKeeper {
  /** More is saved of what brings coins to the chain, or less is needed. */
  exitPathsChanged(): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** What is kept, and how far it is written. */
interface Keeping {
  readonly options: KeeperOptions;
  readonly contents: Contents;
  readonly folder: Place;
  copy: Place | null;
  /** Of each swap that is kept, the version that it changed with last. */
  readonly versions: Map<string, number>;
  version: number;
  /** The version that exit paths changed with last: what brings a coin home rests for nothing. */
  exitPathsSince: number;
  folderHas: number;
  copyHas: number;
  /** How often changes were taken. */
  turn: number;
  /** A write, or a piece that is read back. */
  writing: Promise<void> | null;
  /** A write came up while that was under way. */
  missed: boolean;
  timer: { readonly handle: NodeJS.Timeout; readonly due: number } | null;
  restsUntil: number;
  stopped: boolean;
  readonly patiently: ReturnType<typeof createPatience>;
}

/**
 * Keeps the bundle as the swaps stand. A write takes all that changed since the one before, so that a burst costs a
 * few; it costs what changed, and nobody who never put money in is in it.
 */
export function createKeeper(options: KeeperOptions): Keeper {
  const { store } = options;
  const contents = createContents(options);
  const versions = new Map<string, number>();
  const own: Keeping = {
    options,
    contents,
    folder: placeAt(options, contents, join(options.folder, bundleName), false),
    copy: null,
    versions,
    version: 1,
    exitPathsSince: 0,
    folderHas: 0,
    copyHas: 0,
    turn: 0,
    writing: null,
    missed: false,
    timer: null,
    restsUntil: 0,
    stopped: false,
    patiently: createPatience(patienceMs),
  };

  const readBack = startReadBack({
    places: () => (own.copy === null ? [own.folder] : [own.folder, own.copy]),
    inTurn: (place) => readBackInTurn(own, place),
    onDamage(path) {
      exitPathsChanged(own);
      options.onDamage(
        `The rescue bundle at ${path} was not as it had been written, and is written anew: look at that disk, and ` +
          'whether anything else writes there.',
      );
    },
  });

  return {
    track(entry) {
      const { id, open } = entry.row;
      const what = open ? entryOf(entry, store) : null;
      const text = what === null ? null : encode(what);
      if (!contents.setSwap(id, text)) return;
      own.version += 1;
      if (text === null) versions.delete(id);
      else versions.set(id, own.version);
      soon(own, text === null ? lazyMs : own.restsUntil - performance.now());
    },
    async holds(id) {
      const wanted = versions.get(id) ?? 0;
      await writeUpTo(own, wanted);
      return own.folderHas >= wanted;
    },
    exitPathsChanged: () => exitPathsChanged(own),
    flush: () => writeUpTo(own, own.version),
    async stop() {
      readBack.stop();
      await writeUpTo(own, own.version);
      own.stopped = true;
      if (own.timer !== null) clearTimeout(own.timer.handle);
      await own.writing;
    },
  };
}

function placeAt(options: KeeperOptions, contents: Contents, path: string, shared: boolean): Place {
  const { network, keys, wall, store, onDamage } = options;
  return createPlace(path, {
    network,
    keys,
    wall,
    shared,
    forgets: (bundle) => forgets(store, contents, bundle),
    onSpared: (why, to) => onDamage(`${why} The node moved it to ${to}, and wrote the bundle anew.`),
  });
}

/**
 * Whether the database knows nothing of what a bundle brings home, or nothing any more: a swap that is open there and
 * cannot be read, or stands before its lock since a backup was put back, has its terms in that bundle alone.
 */
function forgets(store: Store, contents: Contents, { swaps: entries, exitPaths: { coins } }: Bundle): boolean {
  const isLost = (id: string): boolean => {
    const open = store.swaps.isOpen(id);
    return open === null || (open && !contents.has(id));
  };
  return entries.some(({ id }) => isLost(id)) || (coins.length > 0 && store.exits.coins().length === 0);
}

/** Whether every place has it. */
async function write(own: Keeping, at: number): Promise<boolean> {
  const { options, contents, patiently } = own;
  own.turn += 1;
  const changes = contents.takeChanges();
  const now = { turn: own.turn, changes, whole: contents.whole, length: contents.length() };
  const copyTo = options.copyTo();
  const place = copyTo === null || copyTo === own.copy?.path ? own.copy : placeAt(options, contents, copyTo, true);
  if (place !== own.copy) own.copyHas = 0;
  own.copy = place;
  const [folder, copy] = await Promise.allSettled([
    own.folder.write(now),
    copyTo === null || place === null ? null : patiently(copyTo, () => place.write(now)),
  ]);
  if (folder.status === 'fulfilled') own.folderHas = at;
  if (copy.status === 'fulfilled') own.copyHas = at;
  options.onState(
    folder.status === 'rejected'
      ? `The rescue bundle cannot be written to ${own.folder.path} (${reasonOf(folder)}): free disk space or look at the ` +
          'disk; nothing new is begun until then.'
      : copy.status === 'rejected'
        ? `The rescue bundle cannot be written to ${copyTo} (${reasonOf(copy)}): what lies there is behind. ` +
          'Bring that place back, or choose another with rescue.copyTo; no new swaps are opened until then.'
        : null,
  );
  return folder.status === 'fulfilled' && copy.status === 'fulfilled';
}

/** Whether a place is to be written anew while nothing else is to be done. */
function isWorn({ contents, folder, copy }: Keeping): boolean {
  const length = contents.length();
  return folder.isWorn(length) || copy?.isWorn(length) === true;
}

function exitPathsChanged(own: Keeping): void {
  own.exitPathsSince = own.version += 1;
  soon(own, 0);
}

/** What is written meanwhile waits for one piece. */
async function readBackInTurn(own: Keeping, place: Place): Promise<ReadBack> {
  while (own.writing !== null) await own.writing;
  own.missed = false;
  const reading = place === own.folder ? place.readBack() : own.patiently(place.path, () => place.readBack());
  own.writing = reading
    .then(
      () => undefined,
      () => undefined,
    )
    .finally(() => {
      own.writing = null;
      if (own.missed) soon(own, 0);
    });
  return reading;
}

function soon(own: Keeping, ms: number): void {
  if (own.stopped) return;
  if (own.writing !== null) {
    own.missed = true;
    return;
  }
  const due = performance.now() + ms;
  if (own.timer !== null && ms > 0 && own.timer.due <= due) return;
  if (own.timer !== null) clearTimeout(own.timer.handle);
  own.timer = null;
  if (ms > 0) {
    const handle = setTimeout(() => {
      own.timer = null;
      soon(own, 0);
    }, ms);
    own.timer = { handle, due };
    return;
  }
  let at = own.version;
  let isWritten = false;
  // What one turn of the event loop changes is written at once: a start that tracks every swap writes none of them
  // alone.
  own.writing = new Promise(setImmediate)
    .then(async () => {
      isWritten = await write(own, (at = own.version));
    })
    .finally(() => {
      own.writing = null;
      own.restsUntil = performance.now() + restMs;
      if (own.version > at) soon(own, own.exitPathsSince > at ? 0 : restMs);
      else if (!isWritten) soon(own, againMs);
      else if (isWorn(own)) soon(own, idleMs);
    });
}

/**
 * A copy that is behind is tried once: its place may be back. One that is away is waited for no longer, for its owner
 * was told (facts/faults.md 316).
 */
async function writeUpTo(own: Keeping, version: number): Promise<void> {
  for (let tries = 0; tries < 2; tries++) {
    const isCopyBehind = own.copy !== null && own.copyHas < version;
    if (own.folderHas >= version && (tries > 0 || !isCopyBehind)) return;
    soon(own, 0);
    await own.writing;
  }
}

function reasonOf({ reason }: PromiseRejectedResult): string {
  return reason instanceof Error ? reason.message : String(reason);
}
