import type { Config } from '../../config.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { less, lesser, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import type { Unix } from '../../domain/time.ts';
import { inBackground } from '../../runtime/background.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { LooseLock, LooseNotes, Over } from '../../store/loose-notes.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { Amendable } from '../directions/direction.ts';
import { endOf, type Transactions } from './loose-end.ts';

/** How far the owner's agreement goes to lock without knowing the length of the secret. */
type LooseState =
  | { readonly is: 'off' }
  /** `counted`: lost, or not seen to have ended well. */
  | { readonly is: 'on'; readonly counted: Sats; readonly total: Sats }
  | { readonly is: 'over'; readonly why: Exclude<Over, 'off'>; readonly counted: Sats };

/**
 * Locks of ours that a secret of another length than 32 bytes opens, and only them (DECISIONS.md, "A loose lock of ours
 * is a loss that was agreed to"). A swap counts from before it is saved until it is seen to have ended well.
 *
 * Loses money when wrong: up to what the owner agreed to, once more.
 */
export interface LooseLocks {
  state(): LooseState;
  /** What one more may be now, or a swap that is counted already. */
  room(swap?: string): Sats | Refusal;
  /** What a swap that is out counts for. */
  of(swap: string): Sats;
  /** What one client's unpaid swaps may count for, of which those that it has count for `own`. */
  unpaidShare(own: Sats): Sats;
  /** Counts one before its swap is saved, and all of it that other terms make more. */
  reserve(swap: string, amount: Sats): Refusal | null;
  /** Null once all that counts is noted outside of the data folder too: no swap is saved or amended before. */
  noted(): Promise<Refusal | null>;
  /** Nothing of its swap was saved, so that nothing is ever given for it: it counts no more. */
  release(swap: string): void;
}

export function createLooseLocks(options: {
  readonly runtime: Pick<Runtime, 'clock' | 'commits' | 'workingSet'> & {
    readonly store: { readonly loose: LooseNotes; readonly transactions: Transactions };
  };
  readonly setting: () => Config['boltz']['toArkade'];
  readonly onSetting: (listener: () => void) => void;
  /** Turns the owner's switch off, where it is not held by what the node cannot change. */
  readonly turnOff: () => Promise<unknown>;
  readonly log: Log;
}): LooseLocks {
  const { runtime, setting, log } = options;
  const notes = runtime.store.loose;
  const quietly = quietlyBy(log);
  const quotable = createQuotable(() => runtime.clock.now().wall);

  /** Of a term, by the clock of now. */
  function locksOf(term: number): readonly LooseLock[] {
    for (const swap of quotable.past()) look(swap);
    return notes.locks(term);
  }

  function counted(): Sats {
    const term = notes.term();
    return term === null ? noSats : sum(locksOf(term));
  }

  function state(): LooseState {
    const term = notes.term();
    return term === null ? { is: 'off' } : stateOf(notes.over(term), setting(), counted());
  }

  /** Of a swap whose end was not seen. */
  function countedOf(swap: string): Sats {
    const locks = notes.isOut(swap) ? locksOf(notes.term() ?? 1) : [];
    return locks.find((lock) => lock.swap === swap)?.amount ?? noSats;
  }

  function room(swap?: string): Sats | Refusal {
    return roomIn(state(), sats(setting().maxSwapSats), swap === undefined ? noSats : countedOf(swap));
  }

  /** The owner's act is that the setting goes from off to on: a term that is over never goes on. */
  function follow(): void {
    const term = notes.term();
    const over = term === null ? null : notes.over(term);
    if (!setting().enabled) {
      if (over !== null && !over.has('off')) notes.endTerm('off');
    } else if (over === null || over.has('off')) begin((term ?? 0) + 1);
    else if (over.size > 0) turnOff();
  }

  /**
   * What is under way may still be lost, and counts in the new term too, as does what a restored database forgot. It is
   * looked for in all terms: one that was over before it began has none of what was out then.
   */
  function begin(term: number): void {
    quietly(() => notes.note({ is: 'term', term }));
    for (const { swap, amount, ended } of termsUntil(term - 1).flatMap(locksOf)) {
      const isOut = ended === null && (runtime.workingSet.readable(swap) !== null || isForgotten(notes, swap));
      if (isOut) quietly(() => notes.note({ is: 'lock', term, swap, amount: Number(amount) }));
    }
  }

  function turnOff(): void {
    inBackground(log, 'turning boltz.toArkade off', options.turnOff);
  }

  function giveUp(why: 'loss' | 'denied'): void {
    quietly(() => notes.endTerm(why));
    // Off already it is at once the owner's to turn on.
    if (setting().enabled) turnOff();
    else quietly(follow);
  }

  /** Its operator calls the lock spent and shows no leaf, or its owner was alarmed: what may become a loss. */
  function deny(swap: string, isNews: boolean): void {
    const isOn = setting().enabled && notes.over(notes.term() ?? 1).size === 0;
    if (isOn && (isNews || !isOfEarlierTerm(notes, swap))) giveUp('denied');
  }

  function settle(row: SwapRow, isDenied = false, isNews = false): void {
    const isOlder = isForgotten(notes, row.id);
    const end = quotable.follow(row) ? null : endOf(row, isOlder, runtime.store.transactions);
    if (end === null && (isDenied || isAlarming(row))) deny(row.id, isNews);
    if (end === null) return;
    // The end of the term first: once its own end is noted the swap is not settled again.
    if (end === 'lost') giveUp('loss');
    notes.note({ is: 'end', swap: row.id, well: end === 'well' });
  }

  function look(swap: string): void {
    const entry = notes.isOut(swap) ? runtime.workingSet.readable(swap) : null;
    if (entry !== null) quietly(() => settle(entry.row));
  }

  for (const { swap } of notes.locks(notes.term() ?? 0)) look(swap);
  quietly(follow);
  options.onSetting(() => quietly(follow));
  runtime.commits.onCommit(({ entry: { row }, distrusted, flagged }) => {
    if (!notes.isOut(row.id)) return;
    quietly(() => settle(row, distrusted, flagged !== null));
  });

  return {
    state,
    room,
    of: countedOf,
    unpaidShare: (own) => sats(plus(leftIn(state()), own) / 2n),
    noted: async () => ((await notes.noted()) ? null : unnoted),
    release: (swap) => (notes.isOut(swap) ? quietly(() => notes.note({ is: 'end', swap, well: true })) : undefined),
    reserve(swap, amount) {
      const left = room(swap);
      if (isRefusal(left)) return left;
      // It is asked for once more where it is saved; what no disk took a note of is noted now.
      const before = countedOf(swap);
      if (notes.isOut(swap) && amount <= before) return noted({ notes, log }, swap, before);
      // What it would lose now is counted nowhere.
      if (!notes.isOut(swap) && runtime.workingSet.readable(swap) !== null)
        return refuse('unavailable', 'This swap was given up and cannot be taken up again: make a new one.');
      if (amount > left)
        return refuse('unavailable', `The limit that the owner set leaves ${left} sats for such a swap.`);
      return noted({ notes, log }, swap, amount);
    },
  };
}

function leftIn(now: LooseState): Sats {
  return now.is === 'on' ? less(now.total, now.counted) : noSats;
}

/** `most`: of one swap. `own`: what the swap itself counts for already. */
function roomIn(now: LooseState, most: Sats, own: Sats): Sats | Refusal {
  if (now.is !== 'on') return refuse('unavailable', 'This node does not swap to Arkade here.');
  const left = lesser(most, less(now.total, less(now.counted, own)));
  return left > noSats
    ? left
    : refuse('unavailable', 'The limit that the owner set for the risk of such swaps is used up.');
}

/** What cannot be written counts in memory, and is written with the next note or at the next start. */
function quietlyBy(log: Log): (act: () => void) => void {
  return (act) => {
    try {
      act();
    } catch (cause) {
      log.error({ cause: String(cause) }, 'what became of a loose lock could not be noted in every place');
    }
  };
}

const unnoted = refuse(
  'unavailable',
  'The disk cannot record the risk of this swap now, so it was not opened: try again later.',
);

/**
 * Null once it is on the disk, and is being written to each place outside: whoever creates waits for that. While one is
 * away nothing new counts, and it is tried again (facts/faults.md 292).
 */
function noted(
  { notes, log }: { readonly notes: LooseNotes; readonly log: Log },
  swap: string,
  amount: Sats,
): Refusal | null {
  if (notes.isAway()) {
    notes.noted().catch(() => false);
    return unnoted;
  }
  try {
    notes.note({ is: 'lock', term: notes.term() ?? 1, swap, amount: Number(amount) });
    return null;
  } catch (cause) {
    log.error({ cause: String(cause) }, 'a loose lock could not be noted, and is not made');
    return unnoted;
  }
}

/** What the client gave may go back to it while our lock is neither claimed nor back. */
function isAlarming({ progress }: SwapRow): boolean {
  return (progress as { readonly alarmed?: boolean }).alarmed === true;
}

function stateOf(over: ReadonlySet<Over>, setting: Config['boltz']['toArkade'], counted: Sats): LooseState {
  const why = (['loss', 'denied', 'restored'] as const).find((one) => over.has(one));
  if (!over.has('off') && why !== undefined) return { is: 'over', why, counted };
  return over.size > 0 || !setting.enabled ? { is: 'off' } : { is: 'on', counted, total: sats(setting.maxLossSats) };
}

/** Swaps whose clients locked another amount, for which something of ours may be agreed to until a moment. */
function createQuotable(now: () => Unix) {
  const untilOf = new Map<string, Unix>();
  return {
    /** Whether it is one of them now. */
    follow({ id, open, progress, terms }: SwapRow): boolean {
      const { at, why } = progress as { readonly at: string; readonly why?: string };
      const until = open && at === 'stopped' && why === 'invalid' ? (terms as Amendable).fundBefore : null;
      const isQuotable = until !== null && now() < until;
      if (isQuotable) untilOf.set(id, until);
      else untilOf.delete(id);
      return isQuotable;
    },
    /** Those that were since the last time, and are no more. */
    past(): string[] {
      const past = [...untilOf].flatMap(([id, until]) => (now() < until ? [] : [id]));
      for (const id of past) untilOf.delete(id);
      return past;
    },
  };
}

/** Whether the swap is from before a restore, so that the database may not know of its lock. */
function isForgotten(notes: LooseNotes, swap: string): boolean {
  const restored = termsUntil(notes.term() ?? 0).findLast((term) => notes.over(term).has('restored')) ?? 0;
  return isOfTerms(notes, restored, swap);
}

/** What is no news of it was answered by an owner who turned them on since. */
function isOfEarlierTerm(notes: LooseNotes, swap: string): boolean {
  return isOfTerms(notes, (notes.term() ?? 1) - 1, swap);
}

function isOfTerms(notes: LooseNotes, last: number, swap: string): boolean {
  return termsUntil(last).some((term) => notes.locks(term).some((lock) => lock.swap === swap));
}

function termsUntil(last: number): number[] {
  return Array.from({ length: last }, (_, before) => before + 1);
}

function sum(locks: readonly LooseLock[]): Sats {
  return locks.reduce((all, { amount }) => plus(all, amount), noSats);
}
