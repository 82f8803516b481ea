import { createHash, type Hash } from 'node:crypto';
import { readFile, rename, stat } from 'node:fs/promises';
import type { BitcoinNetwork } from '../domain/chain.ts';
import { isRefusal } from '../domain/errors.ts';
import type { Unix } from '../domain/time.ts';
import { openBundle, type Bundle } from './bundle.ts';
import { appendTo, beginningOf, pieceOf, replaceFile, type LeftFile } from './file.ts';
import { headerBytes, isOfWriter, newWriter, sealFile, sealSegment, type End, type Sealed } from './segments.ts';
import type { SealingKey } from './segments.ts';

/**
 * What is over may take so much of a file, or as much as what is not, before it is written anew: that costs no more
 * than was written behind it.
 */
const leastOver = 256 * 1_024;
/** By how much sooner where nothing else is to be written. */
const whenIdle = 4;
/** Bytes of a file of somebody else's that are read to learn what it is. */
const mostRead = 64 * 1_024 * 1_024;
/** Between two files of somebody else's that are kept for their owner. */
const sparesMs = 3_600_000;
/** After a disk had no room to write a file anew that is whole. */
const compactAgainMs = 600_000;
/** Read back at once: summing it up holds up nothing else. */
const pieceBytes = 256 * 1_024;
/** By which the end of a file is known again. */
const endBytes = 64;

/** One write of what is kept. */
export interface Write {
  /** Every one has the next number. */
  readonly turn: number;
  /** What changed since the one before; null where nothing did. */
  readonly changes: string | null;
  readonly whole: () => string;
  /** About the length of that. */
  readonly length: number;
}

export interface Place {
  readonly path: string;
  /**
   * Resolves once all of it is on the disk: by one segment where the place has the write before and is as it was left,
   * else by the whole.
   */
  write(write: Write): Promise<void>;
  /** Whether it is to be written anew while nothing else is to be done. */
  isWorn(length: number): boolean;
  /**
   * Reads one piece more of what lies there, never while it is written. `differs`: it is not what was written, and the
   * next write is of the whole; `over`: all of it was read, or nobody knows what should lie there.
   */
  readBack(): Promise<ReadBack>;
}

export type ReadBack = 'more' | 'over' | 'differs';

export interface PlaceOptions {
  readonly network: BitcoinNetwork;
  readonly keys: SealingKey;
  readonly wall: () => Unix;
  /** Whether other nodes may write there: outside of the data folder, which has one node. */
  readonly shared: boolean;
  /** Whether the database knows nothing of what a bundle brings home. */
  readonly forgets: (bundle: Bundle) => boolean;
  /** What cannot be read was moved aside; `why` names the place. */
  readonly onSpared: (why: string, to: string) => void;
}

interface Left extends LeftFile {
  readonly end: End;
  /** Its size when it was written anew. */
  readonly base: number;
  /** Of all of it. */
  readonly sum: Hash;
}

/** A file in which the bundle is kept, as this run has written it. */
export function createPlace(path: string, options: PlaceOptions): Place {
  const { network, keys } = options;
  const writer = newWriter();
  let [rewriting, turn] = [0, 0];
  /** Null while nobody knows what lies there. */
  let left: Left | null = null;
  let sparedAt = Number.NEGATIVE_INFINITY;
  /** How far the file with this header was read back. */
  let back: { readonly head: string; readonly sum: Hash; at: number } | null = null;
  let compactsFrom = Number.NEGATIVE_INFINITY;

  /** What is not ours is not overwritten: it may be the only way home of another node, or of the one before this. */
  async function makeRoom(length: number): Promise<void> {
    const there = await stat(path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return null;
      throw cause;
    });
    if (there === null) return;
    let unread: string | null = null;
    // What nobody wrote here is not read: a device or gigabytes of it would take all memory of the process.
    if (there.isFile() && there.size <= Math.max(mostRead, 8 * length)) {
      const beginning = await beginningOf(path, headerBytes);
      if (beginning === null || isOfWriter(beginning, writer)) return;
      const before = openBundle(path, await readFile(path), network, keys);
      if (!isRefusal(before) && !options.forgets(before)) return;
      if (isRefusal(before)) unread = before.sentence;
    }
    const now = performance.now();
    // Two nodes that write one file would fill the disk with what they keep of each other.
    if (now - sparedAt < sparesMs) throw new Error('another node writes there: give each a file of its own');
    // Two that do so in one second keep both.
    const to = `${path}.before-${options.wall()}-${writer.slice(0, 8)}`;
    await rename(path, to);
    sparedAt = now;
    if (unread !== null) options.onSpared(unread, to);
  }

  function reach(write: Write, { bytes, end }: Sealed, { base, sum } = newSum(end)): void {
    turn = write.turn;
    const ends = Uint8Array.from(bytes.subarray(-endBytes));
    sum.update(bytes);
    left = { end, base, sum, size: end.size, begins: Buffer.from(`${end.head}\n`), ends };
  }

  /** Behind what was left. False where something else lies there. */
  async function goOn(before: Left, write: Write): Promise<boolean> {
    if (write.changes === null) {
      ({ turn } = write);
      left = before;
      return true;
    }
    const sealed = sealSegment(write.changes, before.end, keys);
    if (!(await appendTo(path, before, sealed.bytes))) return false;
    reach(write, sealed, before);
    return true;
  }

  async function writeAnew(write: Write): Promise<void> {
    await makeRoom(write.length);
    rewriting += 1;
    let sealed: Sealed | null = null;
    await replaceFile(path, {
      bytes() {
        sealed = sealFile(write.whole(), { network, writer, rewriting }, keys);
        return sealed.bytes;
      },
      // Another node may have put its own there in the meantime.
      mayReplace: () => makeRoom(write.length),
      shared: options.shared,
    });
    if (sealed !== null) reach(write, sealed);
  }

  async function readBack({ end: { head }, size, sum }: Left): Promise<ReadBack> {
    if (back?.head !== head) back = { head, sum: createHash('sha256'), at: 0 };
    const length = Math.min(pieceBytes, size - back.at);
    // A sector that cannot be read is as lost as one that was changed.
    const piece = await pieceOf(path, back.at, length).catch(() => null);
    if (piece === null || piece.bytes.length < length || piece.size !== size) return 'differs';
    back.sum.update(piece.bytes);
    back.at += length;
    if (back.at < size) return 'more';
    const isSame = back.sum.digest('hex') === sum.copy().digest('hex');
    back = null;
    return isSame ? 'over' : 'differs';
  }

  return {
    path,
    async readBack() {
      const before = left;
      if (before === null) return 'over';
      const outcome = await readBack(before);
      if (outcome !== 'differs') return outcome;
      back = null;
      // Where it was written while a place that hangs was read, nothing is known of that.
      if (left !== before) return 'over';
      left = null;
      return outcome;
    },
    async write(write) {
      const before = left;
      left = null;
      const follows = before !== null && turn === write.turn - 1;
      const tooWorn = follows && isWorn(before, write) && performance.now() >= compactsFrom;
      if (follows && !tooWorn && (await goOn(before, write))) return;
      try {
        await writeAnew(write);
      } catch (cause) {
        // A disk without room for all of it once more may have some for what changed, behind a file that is whole.
        if (!tooWorn || !(await goOn(before, write))) throw cause;
        compactsFrom = performance.now() + compactAgainMs;
      }
    },
    isWorn: (length) => left !== null && performance.now() >= compactsFrom && isWorn(left, { length, changes: null }),
  };
}

function newSum({ size }: End): Pick<Left, 'base' | 'sum'> {
  return { base: size, sum: createHash('sha256') };
}

function isWorn({ size, base }: Left, { length, changes }: Pick<Write, 'length' | 'changes'>): boolean {
  const live = (length * 4) / 3;
  const share = changes === null ? whenIdle : 1;
  return size - live > Math.max(live, leastOver) / share && size - base > leastOver / whenIdle;
}
