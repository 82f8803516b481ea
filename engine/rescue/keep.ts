import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { BitcoinNetwork } from '../domain/chain.ts';
import { isRefusal } from '../domain/errors.ts';
import type { Unix } from '../domain/time.ts';
import type { BundleKeeper } from '../runtime/bundle.ts';
import { encode } from '../store/codec.ts';
import type { Store } from '../store/store.ts';
import { entryOf } from './entry.ts';
import { waysOf } from './ways.ts';
import { openBundle, sealBundle, type Bundle, type SealingKey } from './bundle.ts';
import { replaceFile } from './file.ts';
import { createPatience } from './patience.ts';

/** In the data folder. */
export const bundleName = 'rescue.bundle';

/** A place that does not answer for so long is away. */
const patienceMs = 5_000;
/** What is not needed any more may stay for so long: nothing waits for it, and many go at once. */
const lazyMs = 5_000;
const againMs = 5_000;
/** Between two writes that nobody waits for: a burst would have all that is open sealed and synced without a pause. */
const restMs = 250;

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
}

export interface Keeper extends BundleKeeper {
  /** More is saved of what brings coins to the chain, or less is needed. */
  waysChanged(): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** What is kept, and how far it is written. */
interface Keeping {
  readonly options: KeeperOptions;
  readonly store: KeeperOptions['store'];
  readonly network: KeeperOptions['network'];
  readonly keys: KeeperOptions['keys'];
  readonly inFolder: string;
  readonly swaps: Map<string, { readonly text: string; readonly version: number }>;
  version: number;
  ways: { readonly revision: number; readonly text: string } | null;
  /** The version that ways changed with last: what brings a coin home rests for nothing. */
  waysSince: number;
  folderHas: number;
  copyHas: number;
  writing: Promise<void> | null;
  timer: { readonly handle: NodeJS.Timeout; readonly due: number } | null;
  restsUntil: number;
  stopped: boolean;
  /** Places whose file was looked at before it is replaced for the first time. */
  readonly looked: Set<string>;
  readonly patiently: ReturnType<typeof createPatience>;
}

/**
 * Keeps the bundle as the swaps stand. A write takes all that changed since the one before, so that a burst costs a
 * few; it costs what is open, and nobody who never put money in is in it.
 */
export function createKeeper(options: KeeperOptions): Keeper {
  const { store, network, keys } = options;
  const inFolder = join(options.folder, bundleName);
  const swaps = new Map<string, { readonly text: string; readonly version: number }>();

  const patiently = createPatience(patienceMs);
  const own: Keeping = {
    options,
    store,
    network,
    keys,
    inFolder,
    swaps,
    version: 1,
    ways: null,
    waysSince: 0,
    folderHas: 0,
    copyHas: 0,
    writing: null,
    timer: null,
    restsUntil: 0,
    stopped: false,
    looked: new Set(),
    patiently,
  };

  return {
    track(entry) {
      const { id, open } = entry.row;
      const before = swaps.get(id);
      const what = open ? entryOf(entry, store) : null;
      const text = what === null ? null : encode(what);
      if (text === (before?.text ?? null)) return;
      own.version += 1;
      if (text === null) swaps.delete(id);
      else swaps.set(id, { text, version: own.version });
      soon(own, text === null ? lazyMs : own.restsUntil - performance.now());
    },
    async holds(id) {
      const wanted = swaps.get(id)?.version ?? 0;
      for (let tries = 0; tries < 2 && own.folderHas < wanted; tries++) {
        soon(own, 0);
        await own.writing;
      }
      return own.folderHas >= wanted;
    },
    waysChanged() {
      own.waysSince = own.version += 1;
      soon(own, 0);
    },
    flush: () => flush(own),
    async stop() {
      await flush(own);
      own.stopped = true;
      if (own.timer !== null) clearTimeout(own.timer.handle);
      await own.writing;
    },
  };
}

function counters({ store }: Keeping): Bundle['counters'] {
  const { peek } = store.counters;
  return { swap: peek('swap'), deposit: peek('bitcoin-deposit'), change: peek('bitcoin-change') };
}

function waysNow(own: Keeping): string {
  const { store } = own;
  const revision = store.exits.revision();
  if (own.ways?.revision !== revision) own.ways = { revision, text: encode(waysOf(store)) };
  return own.ways.text;
}

async function put(own: Keeping, path: string, bytes: Uint8Array): Promise<void> {
  const { looked } = own;
  if (!looked.has(path)) await spare(own, path);
  looked.add(path);
  await replaceFile(path, bytes);
}

/** A folder that begins anew must not overwrite the only way home of the node before it. */
async function spare(own: Keeping, path: string): Promise<void> {
  const { options, network, keys } = own;
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw cause;
  });
  if (bytes === null) return;
  const before = openBundle(path, bytes, network, keys);
  if (!isRefusal(before) && !forgets(own, before)) return;
  await rename(path, `${path}.before-${options.wall()}`);
}

/** Whether the database knows nothing of what a bundle brings home. */
function forgets({ store }: Keeping, { swaps: entries, ways: { coins } }: Bundle): boolean {
  return (
    entries.some(({ id }) => store.swaps.head(id) === null) || (coins.length > 0 && store.exits.coins().length === 0)
  );
}

async function write(own: Keeping, at: number): Promise<void> {
  const { options, network, keys, inFolder, swaps, patiently } = own;
  const written = options.wall();
  const texts = [...swaps.values()].map(({ text }) => text);
  const bytes = sealBundle(
    {
      written,
      counters: counters(own),
      walletTerms: options.walletTerms(),
      troubles: [],
      ways: waysNow(own),
      swaps: texts,
    },
    network,
    keys,
  );
  const copyTo = options.copyTo();
  const [folder, copy] = await Promise.allSettled([
    put(own, inFolder, bytes),
    copyTo === null ? null : patiently(copyTo, () => put(own, copyTo, bytes)),
  ]);
  if (folder.status === 'fulfilled') own.folderHas = at;
  if (copy.status === 'fulfilled') own.copyHas = at;
  options.onState(
    folder.status === 'rejected'
      ? `The rescue bundle cannot be written to ${inFolder} (${reasonOf(folder)}): free disk space or look at the ` +
          'disk; nothing new is begun until then.'
      : copy.status === 'rejected'
        ? `The rescue bundle cannot be written to ${copyTo} (${reasonOf(copy)}): bring that place back, or choose ` +
          'another with rescue.copyTo; no new swaps are opened until then.'
        : null,
  );
}

function soon(own: Keeping, ms: number): void {
  if (own.writing !== null || own.stopped) return;
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
  // What one turn of the event loop changes is written at once: a start that tracks every swap writes none of them
  // alone.
  own.writing = new Promise(setImmediate)
    .then(() => write(own, (at = own.version)))
    .finally(() => {
      own.writing = null;
      own.restsUntil = performance.now() + restMs;
      if (own.version > at) soon(own, own.waysSince > at ? 0 : restMs);
      else if (Math.min(own.folderHas, own.copyHas) < at) soon(own, againMs);
    });
}

async function flush(own: Keeping): Promise<void> {
  const wanted = own.version;
  for (let tries = 0; tries < 2 && own.folderHas < wanted; tries++) {
    soon(own, 0);
    await own.writing;
  }
}

function reasonOf({ reason }: PromiseRejectedResult): string {
  return reason instanceof Error ? reason.message : String(reason);
}
