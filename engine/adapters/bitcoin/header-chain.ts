import type { BitcoinNetwork } from '../../domain/chain.ts';
import { unix } from '../../domain/time.ts';
import type { ChainTip } from '../../legs/onchain/port.ts';
import type { ChainSource } from './chain-source.ts';
import { checkWork, type Header, medianOf, medianOfTimes, workOf } from './headers.ts';

/** A header at its place in the chain that is known. */
export interface Placed extends Header {
  readonly height: number;
  /** Of all blocks from the first one that was known up to this one, in hashes. */
  readonly work: bigint;
}

/** The last headers of a chain that is not known. */
interface Tail {
  readonly top: number;
  /** From the top down. */
  readonly headers: readonly Header[];
  readonly work: bigint;
}

type Headers = ChainSource['headers'];

/** Headers on the way from a tip to what is known, at most: two months of blocks. */
const furthest = 8_640;
/** How far below the first known block a reorganisation is followed; the deepest of mainnet was 53 blocks. */
const deepest = 100;
/** So many headers below the highest one are kept. */
const mostHeaders = 10_000;
const noBlock = '0'.repeat(64);

/** The headers that are held. */
interface HeaderBook {
  readonly byHash: Map<string, Placed>;
  lowest: Placed | null;
  highest: number;
}

/**
 * The headers that are known, linked by their hashes and each with its work. The height of a block is the number of
 * links from the first one, and nobody's word (facts/faults.md 49).
 */
export function headerChain(network: BitcoinNetwork) {
  const byHash = new Map<string, Placed>();
  const book: HeaderBook = { byHash, lowest: null, highest: 0 };

  return {
    find: (hash: string): Placed | null => byHash.get(hash) ?? null,
    get empty() {
      return byHash.size === 0;
    },

    /** The last headers below a tip, checked in themselves: enough for its median time, and to weigh it by its work. */
    async tail(tip: { hash: string; height: number }, headers: Headers): Promise<Tail> {
      const newestFirst: Header[] = [];
      for (
        let hash = tip.hash;
        newestFirst.length < medianOf && hash !== noBlock;
        hash = newestFirst.at(-1)?.previous ?? noBlock
      ) {
        if (newestFirst.length > tip.height)
          throw new Error(`its block ${tip.hash} has more blocks below it than its height ${tip.height} says`);
        for (const header of await page(hash, tip.height - newestFirst.length, headers))
          if (newestFirst.length === 0 || newestFirst.at(-1)?.previous === header.hash) newestFirst.push(header);
      }
      const tail = newestFirst.slice(0, medianOf);
      for (const [i, header] of tail.entries()) checkWork(header, tip.height - i, tail[i + 1] ?? null, network);
      return { top: tip.height, headers: tail, work: tail.reduce((sum, header) => sum + workOf(header), 0n) };
    },

    /** Begins anew with these: everything else that was known is forgotten. */
    begin({ top, headers }: Tail): void {
      byHash.clear();
      book.lowest = null;
      book.highest = 0;
      let work = 0n;
      for (const [i, header] of [...headers].reverse().entries()) {
        work += workOf(header);
        place(book, header, top - headers.length + 1 + i, work);
      }
    },

    /**
     * Finds the branch from a tip down to what is known and keeps it, each header with its work. Throws a sentence
     * where there is none, where work is missing, or where the height that is told is another one than the links say.
     */
    async link(tip: { hash: string; height: number }, headers: Headers): Promise<Placed> {
      const branch: Header[] = [];
      const start = book.lowest?.height ?? 0;
      let hash = tip.hash;
      for (let below = byHash.get(hash); below === undefined; below = byHash.get(hash)) {
        const height = tip.height - branch.length;
        if (hash === noBlock || height < 0 || branch.length > furthest)
          throw new Error(`its block ${tip.hash} does not lead to any block that is known`);
        if (book.lowest !== null && height <= book.lowest.height) {
          if (!(await deeper(book, start, headers)))
            throw new Error(`its block ${tip.hash} does not lead to any block that is known`);
          continue;
        }
        for (const header of await page(hash, height, headers)) {
          if (header.hash !== hash || byHash.has(hash)) break;
          checkWork(header, tip.height - branch.length, null, network);
          branch.push(header);
          hash = header.previous;
        }
      }
      let placed = byHash.get(hash);
      if (placed === undefined) throw new Error('nothing is known of the chain yet');
      if (placed.height + branch.length !== tip.height)
        throw new Error(
          `it says height ${tip.height} of the block ${tip.hash}, which is at height ${placed.height + branch.length}`,
        );
      for (const header of branch.reverse()) {
        checkWork(header, placed.height + 1, placed, network);
        const times = timesBelow(book, placed);
        if (times.length === medianOf && header.time <= medianOfTimes(times))
          throw new Error(`its block ${header.hash} is older than the ones below it`);
        placed = place(book, header, placed.height + 1, placed.work + workOf(header));
      }
      prune(book);
      return placed;
    },

    /** Of both branches the block they have in common; null below what is known. */
    fork(a: Placed, b: Placed): Placed | null {
      let [one, other]: [Placed | undefined, Placed | undefined] = [a, b];
      while (one !== undefined && other !== undefined && one.hash !== other.hash) {
        if (one.height >= other.height) one = byHash.get(one.previous);
        else other = byHash.get(other.previous);
      }
      return one !== undefined && other !== undefined ? one : null;
    },

    /** The tip with its times as its headers have them. */
    tipOf(top: Placed): ChainTip {
      return {
        hash: top.hash,
        height: top.height,
        time: unix(top.time),
        mtp: unix(medianOfTimes(timesBelow(book, top))),
      };
    },
  };
}

function place(book: HeaderBook, header: Header, height: number, work: bigint): Placed {
  const { byHash } = book;
  const placed = { ...header, height, work };
  byHash.set(header.hash, placed);
  if (book.lowest === null || height < book.lowest.height) book.lowest = placed;
  book.highest = Math.max(book.highest, height);
  return placed;
}

function prune(book: HeaderBook): void {
  const { byHash } = book;
  if (byHash.size < 2 * mostHeaders) return;
  for (const [hash, { height }] of byHash) if (height < book.highest - mostHeaders) byHash.delete(hash);
  for (const placed of byHash.values())
    if (book.lowest === null || !byHash.has(book.lowest.hash) || placed.height < book.lowest.height)
      book.lowest = placed;
}

/** Of a block and of those below it, as many as a median takes. */
function timesBelow({ byHash }: HeaderBook, top: Placed): number[] {
  const times: number[] = [];
  for (let at: Placed | undefined = top; at !== undefined && times.length < medianOf; at = byHash.get(at.previous))
    times.push(at.time);
  return times;
}

async function page(hash: string, height: number, headers: Headers): Promise<readonly Header[]> {
  const read = await headers(hash, height);
  if (read[0]?.hash !== hash) throw new Error(`it does not show the header of its block ${hash}`);
  return read;
}

/** A reorganisation below the first known block: what lies under it follows from its hash, whoever shows it. */
async function deeper(book: HeaderBook, start: number, headers: Headers): Promise<boolean> {
  if (book.lowest === null || book.lowest.previous === noBlock || book.lowest.height <= start - deepest) return false;
  for (const header of await page(book.lowest.previous, book.lowest.height - 1, headers)) {
    const above: Placed = book.lowest;
    if (header.hash !== above.previous) break;
    place(book, header, above.height - 1, above.work - workOf(above));
  }
  return true;
}

export type HeaderChain = ReturnType<typeof headerChain>;
