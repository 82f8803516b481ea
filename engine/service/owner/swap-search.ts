import { setImmediate as nextTurn } from 'node:timers/promises';
import { asHash160, asSha256 } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import type { Store } from '../../store/store.ts';
import type { ServiceContext } from '../context.ts';

/** What a text of the owner's matches in the list. */
export interface SwapSearch {
  /** Of an id. */
  readonly part: string;
  /** The swaps that it matches by anything else. */
  readonly also: ReadonlySet<string>;
}

/** Enough of a hash or a transaction to tell it from every other: with less the history is not gone through. */
const leastOfWord = 16;

/**
 * A whole id, which brings its swap alone; part of an id, of a label or of a note; the id by which a client knows its
 * swap; or the beginning of what stands in a swap. The latter goes through the whole history, in turns: whoever waits
 * for a signature waits no longer for it. It ends where nobody waits for it any more (`left`).
 */
export async function searchOf(
  { runtime: { store } }: ServiceContext,
  text: string,
  left: AbortSignal = never,
): Promise<SwapSearch> {
  const given = text.trim();
  // Anybody may give a swap the id of another one for a name of its own.
  if (store.swaps.head(given.toLowerCase()) !== null) return { part: given.toLowerCase(), also: new Set() };
  const boltz = store.boltzSwaps.swapOf(given);
  const also = new Set([
    ...store.labels.idsWith(text),
    ...store.swaps.ofUser(given),
    ...(boltz === null ? [] : [boltz]),
  ]);
  const word = given.replace(/^(lightning:|bitcoin:|0x)/i, '').replace(/:\d+$/, '');
  if (word.length >= leastOfWord && /^[0-9a-z]+$/i.test(word)) {
    const hex = word.toLowerCase();
    for (const id of store.transactions.subjectsBeginning(hex)) also.add(id);
    const hash = byHash(store, hex);
    if (hash !== null) also.add(hash);
    for (const id of await idsWithWord(store, word, left)) also.add(id);
  }
  return { part: given.toLowerCase(), also };
}

const never = new AbortController().signal;

interface Scan {
  readonly ids: Promise<readonly string[]>;
  /** Of each who waits for it. */
  readonly left: AbortSignal[];
}

/** Who goes through the history of a store, or waits for that, by the word. */
interface Scans {
  last: Promise<unknown>;
  readonly waiting: Map<string, Scan>;
}

const scansOf = new WeakMap<Store, Scans>();

/**
 * One at a time: several would leave everybody else a turn after each of theirs. Who looks for a word that waits
 * already gets the same.
 */
function idsWithWord(store: Store, word: string, left: AbortSignal): Promise<readonly string[]> {
  const scans = scansOf.get(store) ?? { last: Promise.resolve(), waiting: new Map() };
  scansOf.set(store, scans);
  const same = scans.waiting.get(word);
  if (same !== undefined) {
    same.left.push(left);
    return same.ids;
  }
  const waits = [left];
  const ids = scans.last.then(() => {
    scans.waiting.delete(word);
    return scan(store, word, () => waits.every(({ aborted }) => aborted));
  });
  scans.last = ids.catch(() => undefined);
  scans.waiting.set(word, { ids, left: waits });
  return ids;
}

async function scan({ swaps }: Store, word: string, isLeft: () => boolean): Promise<readonly string[]> {
  const all: string[] = [];
  for (let from: number | null = 0; from !== null && !isLeft(); await nextTurn()) {
    const { ids, next } = swaps.withWord(word, from);
    all.push(...ids);
    from = next;
  }
  return all;
}

/** By its whole hash, in either form. */
function byHash({ hashes }: ServiceContext['runtime']['store'], hex: string): string | null {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(hex)) return null;
  const bytes = fromHex(hex);
  return hashes.usedBy(bytes.length === 20 ? asHash160(bytes) : hash160OfSha256(asSha256(bytes)));
}

export function matches({ part, also }: SwapSearch, id: string): boolean {
  return id.includes(part) || also.has(id);
}
