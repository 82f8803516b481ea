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

/**
 * Keeps the bundle as the swaps stand. A write takes all that changed since the one before, so that a burst costs a
 * few; it costs what is open, and nobody who never put money in is in it.
 */
export function createKeeper(options: KeeperOptions): Keeper {
  const { store, network, keys } = options;
  const inFolder = join(options.folder, bundleName);
  const swaps = new Map<string, { readonly text: string; readonly version: number }>();
  let version = 1;
  let ways: { readonly revision: number; readonly text: string } | null = null;
  /** The version that ways changed with last: what brings a coin home rests for nothing. */
  let waysSince = 0;
  let folderHas = 0;
  let copyHas = 0;
  let writing: Promise<void> | null = null;
  let timer: { readonly handle: NodeJS.Timeout; readonly due: number } | null = null;
  let restsUntil = 0;
  let stopped = false;
  /** Places whose file was looked at before it is replaced for the first time. */
  const looked = new Set<string>();
  const patiently = createPatience(patienceMs);

  function counters(): Bundle['counters'] {
    const { peek } = store.counters;
    return { swap: peek('swap'), deposit: peek('bitcoin-deposit'), change: peek('bitcoin-change') };
  }

  function waysNow(): string {
    const revision = store.exits.revision();
    if (ways?.revision !== revision) ways = { revision, text: encode(waysOf(store)) };
    return ways.text;
  }

  async function put(path: string, bytes: Uint8Array): Promise<void> {
    if (!looked.has(path)) await spare(path);
    looked.add(path);
    await replaceFile(path, bytes);
  }

  /** A folder that begins anew must not overwrite the only way home of the node before it. */
  async function spare(path: string): Promise<void> {
    const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return null;
      throw cause;
    });
    if (bytes === null) return;
    const before = openBundle(path, bytes, network, keys);
    if (!isRefusal(before) && !forgets(before)) return;
    await rename(path, `${path}.before-${options.wall()}`);
  }

  /** Whether the database knows nothing of what a bundle brings home. */
  function forgets({ swaps: entries, ways: { coins } }: Bundle): boolean {
    return (
      entries.some(({ id }) => store.swaps.head(id) === null) || (coins.length > 0 && store.exits.coins().length === 0)
    );
  }

  async function write(at: number): Promise<void> {
    const written = options.wall();
    const texts = [...swaps.values()].map(({ text }) => text);
    const bytes = sealBundle(
      {
        written,
        counters: counters(),
        walletTerms: options.walletTerms(),
        troubles: [],
        ways: waysNow(),
        swaps: texts,
      },
      network,
      keys,
    );
    const copyTo = options.copyTo();
    const [folder, copy] = await Promise.allSettled([
      put(inFolder, bytes),
      copyTo === null ? null : patiently(copyTo, () => put(copyTo, bytes)),
    ]);
    if (folder.status === 'fulfilled') folderHas = at;
    if (copy.status === 'fulfilled') copyHas = at;
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

  function soon(ms: number): void {
    if (writing !== null || stopped) return;
    const due = performance.now() + ms;
    if (timer !== null && ms > 0 && timer.due <= due) return;
    if (timer !== null) clearTimeout(timer.handle);
    timer = null;
    if (ms > 0) {
      const handle = setTimeout(() => {
        timer = null;
        soon(0);
      }, ms);
      timer = { handle, due };
      return;
    }
    let at = version;
    // What one turn of the event loop changes is written at once: a start that tracks every swap writes none of them
    // alone.
    writing = new Promise(setImmediate)
      .then(() => write((at = version)))
      .finally(() => {
        writing = null;
        restsUntil = performance.now() + restMs;
        if (version > at) soon(waysSince > at ? 0 : restMs);
        else if (Math.min(folderHas, copyHas) < at) soon(againMs);
      });
  }

  async function flush(): Promise<void> {
    const wanted = version;
    for (let tries = 0; tries < 2 && folderHas < wanted; tries++) {
      soon(0);
      await writing;
    }
  }

  return {
    track(entry) {
      const { id, open } = entry.row;
      const before = swaps.get(id);
      const what = open ? entryOf(entry, store) : null;
      const text = what === null ? null : encode(what);
      if (text === (before?.text ?? null)) return;
      version += 1;
      if (text === null) swaps.delete(id);
      else swaps.set(id, { text, version });
      soon(text === null ? lazyMs : restsUntil - performance.now());
    },
    async holds(id) {
      const wanted = swaps.get(id)?.version ?? 0;
      for (let tries = 0; tries < 2 && folderHas < wanted; tries++) {
        soon(0);
        await writing;
      }
      return folderHas >= wanted;
    },
    waysChanged() {
      waysSince = version += 1;
      soon(0);
    },
    flush,
    async stop() {
      await flush();
      stopped = true;
      if (timer !== null) clearTimeout(timer.handle);
      await writing;
    },
  };
}

function reasonOf({ reason }: PromiseRejectedResult): string {
  return reason instanceof Error ? reason.message : String(reason);
}
