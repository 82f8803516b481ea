import { existsSync } from 'node:fs';
import { z } from 'zod';
import { sats, type Sats } from '../domain/money.ts';
import { createFarLines, type InTurn, type MayBeEmpty } from './far-lines.ts';
import { appendLine, leaveOut, linesOf } from './noted-lines.ts';
import type { Sealer } from './sealer.ts';

/**
 * What is noted of loose locks of ours (`VhtlcTerms.sizeGuard`). A term begins when the owner turns them on, is counted
 * against one total, and ends for good.
 */
type LooseNote =
  | { readonly is: 'term'; readonly term: number }
  | { readonly is: 'over'; readonly term: number; readonly why: Over }
  /** Before the swap is saved: from here on all of it counts as lost. */
  | { readonly is: 'lock'; readonly term: number; readonly swap: string; readonly amount: number }
  /** It is seen to have ended: `well`, or lost. */
  | { readonly is: 'end'; readonly swap: string; readonly well: boolean };

/**
 * Why a term is over: the owner turned them off, a lock was lost, one may be lost (its operator shows no leaf, or it
 * was out for too long), or the database is an older one.
 */
export type Over = 'off' | 'loss' | 'denied' | 'restored';

export interface LooseLock {
  readonly swap: string;
  readonly amount: Sats;
  /** Null while no end of it was seen. */
  readonly ended: 'lost' | null;
}

export interface LooseNotes {
  /** The last one that began; null where none ever did. */
  term(): number | null;
  /** Why a term is over; empty while it goes on. */
  over(term: number): ReadonlySet<Over>;
  /**
   * Those of a term that did not end well, each once: what of it may be lost, and what was. Every other one is behind
   * us, and strangers may have made any number of them (facts/faults.md 181).
   */
  locks(term: number): readonly LooseLock[];
  /** A lock whose end was not seen. */
  isOut(swap: string): boolean;
  /**
   * On the disk beside the database when it returns. Throws where it could not be written; it counts all the same, and
   * is written with whatever is noted next. Nothing waits for the places outside: see `noted` (facts/faults.md 292).
   */
  note(note: LooseNote): void;
  /** Whether all that was noted lies in each place outside by now. Writes what does not. */
  noted(): Promise<boolean>;
  /** Whether a place outside could not be written, or did not answer, the last time. */
  isAway(): boolean;
  /** Ends the last term, or one that never began: loose locks are off until the owner turns them on. */
  endTerm(why: Over): void;
  /**
   * Further places, outside of the data folder; what is noted there already counts once it resolves. Rejects where one
   * could not be read: what lies there counts once it can.
   */
  alsoAt(places: () => readonly string[], inTurn: InTurn, mayBeEmpty?: MayBeEmpty): Promise<void>;
}

/** Of their file beside the database, and the ending of that of a copy. */
export const looseNotesName = 'loose-locks';

/**
 * Strangers make any number of locks that end well: of so many the older ones are left out, so that the newest stay for
 * a folder that was restored from a moment ago. Few enough to be read between two requests.
 */
const mostEndedWell = 300;
const keptEndedWell = 150;

/** What the bytes of a line are sealed for. */
const context = 'loose lock';

const term = z.int().min(1);
const swap = z.string().max(100);
const shape = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('term'), term }),
  z.strictObject({ is: z.literal('over'), term, why: z.enum(['off', 'loss', 'denied', 'restored']) }),
  z.strictObject({ is: z.literal('lock'), term, swap, amount: z.int().min(1) }),
  z.strictObject({ is: z.literal('end'), swap, well: z.boolean() }),
]);

/**
 * Every loose lock that may have been made and how it ended, told where no restored database reaches: beside it, and
 * outside of the folder. A line is written and never changed, nor left out before what it says of a swap is over and
 * well; lines count in any order, from however many places: none takes back what another says, and of two ends of a
 * lock its loss is the true one. Each is sealed by the seed.
 *
 * Loses money when wrong: a loss that is forgotten, and so may be made again up to the whole total.
 */
export function createLooseNotes({
  path,
  sealer,
}: {
  /** Of the file in the data folder; null keeps them in memory alone, in tests. */
  readonly path: string | null;
  readonly sealer: Sealer;
}): LooseNotes {
  /** The texts of all that was noted. */
  const lines = new Set<string>();
  const terms = new Set<number>();
  const overs = new Map<number, Set<Over>>();
  const locks = new Map<number, Map<string, number>>();
  /** The same without those that ended well. */
  const counting = new Map<number, Map<string, number>>();
  const swaps = new Set<string>();
  const ends = new Map<string, 'well' | 'lost'>();
  /** What this run could not write beside the database. */
  let lacking = new Set<string>();
  const far = createFarLines({ lineOf: (name) => lineOf(name, sealer), count: countLine, all: () => lines });
  if (path !== null) for (const line of linesOf(path)) countLine(line);

  function countLine(line: string): void {
    const note = noteIn(line, sealer);
    if (note !== null) count(note);
  }

  /** False where it was counted before. */
  function count(note: LooseNote): boolean {
    const name = JSON.stringify(note);
    if (lines.has(name)) return false;
    lines.add(name);
    if (note.is === 'end') {
      if (ends.get(note.swap) !== 'lost') ends.set(note.swap, note.well ? 'well' : 'lost');
      for (const of of locks.keys()) recount(of, note.swap);
      return true;
    }
    terms.add(note.term);
    if (note.is === 'over') overs.set(note.term, new Set([...(overs.get(note.term) ?? []), note.why]));
    if (note.is === 'lock') {
      const ofTerm = locks.get(note.term) ?? new Map<string, number>();
      // By other terms a swap may risk more than at first, and no line takes back what another says.
      locks.set(note.term, ofTerm.set(note.swap, Math.max(note.amount, ofTerm.get(note.swap) ?? 0)));
      swaps.add(note.swap);
      recount(note.term, note.swap);
    }
    return true;
  }

  /** Whatever came first, its lock or its end. */
  function recount(of: number, id: string): void {
    const amount = locks.get(of)?.get(id);
    if (amount === undefined) return;
    const ofTerm = counting.get(of) ?? new Map<string, number>();
    counting.set(of, ofTerm);
    if (ends.get(id) === 'well') ofTerm.delete(id);
    else ofTerm.set(id, amount);
  }

  /** Leaves out the older ones of those that ended well, once there are many. */
  function leaveOutOld(): void {
    if (ends.size <= mostEndedWell) return;
    const old = new Set([...ends].flatMap(([id, how]) => (how === 'well' ? [id] : [])).slice(0, -keptEndedWell));
    const isOld = (line: string): boolean => isOf(old, noteIn(line, sealer));
    if (path !== null) leaveOut(path, isOld);
    far.leaveOut(isOld);
    for (const name of lines) if (isOf(old, JSON.parse(name) as LooseNote)) lines.delete(name);
    for (const memory of [swaps, ends, ...locks.values()]) for (const id of old) memory.delete(id);
  }

  const last = (): number | null => (terms.size === 0 ? null : Math.max(...terms));

  function write(note: LooseNote): void {
    // It counts from here on, whatever becomes of the places.
    const isNew = count(note);
    const name = JSON.stringify(note);
    if (isNew) far.add(name);
    far.written().catch(() => false);
    if (path !== null) writeBeside(path, isNew ? name : null);
    if (note.is === 'end') leaveOutOld();
  }

  function writeBeside(place: string, name: string | null): void {
    // A place that is new, or was emptied, is told all.
    if (name !== null && !existsSync(place)) lacking = new Set(lines);
    if (name !== null) lacking.add(name);
    for (const one of lacking) {
      appendLine(place, lineOf(one, sealer));
      lacking.delete(one);
    }
  }

  return {
    term: last,
    over: (of) => overs.get(of) ?? new Set(),
    locks: (of) =>
      [...(counting.get(of) ?? [])].map(([id, amount]) => ({
        swap: id,
        amount: sats(amount),
        ended: ends.has(id) ? 'lost' : null,
      })),
    isOut: (id) => swaps.has(id) && !ends.has(id),
    note: write,
    noted: () => far.written(),
    isAway: () => far.isAway(),
    endTerm(why) {
      const of = last() ?? 1;
      // One that the owner ended is followed by the next, unless that is over before it begins.
      write({ is: 'over', term: why !== 'off' && overs.get(of)?.has('off') === true ? of + 1 : of, why });
    },
    alsoAt: far.open,
  };
}

/** A loss stays whatever else is noted. */
function isOf(swaps: ReadonlySet<string>, note: LooseNote | null): boolean {
  return note !== null && (note.is === 'lock' || (note.is === 'end' && note.well)) && swaps.has(note.swap);
}

function lineOf(name: string, sealer: Sealer): string {
  return Buffer.from(sealer.seal(new TextEncoder().encode(name), context)).toString('base64');
}

/** Null for what was cut off, or is of other words. */
function noteIn(line: string, sealer: Sealer): LooseNote | null {
  try {
    return shape.parse(JSON.parse(new TextDecoder().decode(sealer.open(Buffer.from(line, 'base64'), context))));
  } catch {
    return null;
  }
}
