import type { Config } from '../../config.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { less, lesser, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { inBackground } from '../../runtime/background.ts';
import type { Log } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { LooseLock, LooseNotes, Over } from '../../store/loose-notes.ts';
import type { Store } from '../../store/store.ts';
import type { SwapRow } from '../../store/swaps.ts';

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
  /** Counts one before its swap is saved, and all of it that other terms make more. */
  reserve(swap: string, amount: Sats): Refusal | null;
}

export function createLooseLocks(options: {
  readonly runtime: Pick<Runtime, 'commits' | 'workingSet'> & {
    readonly store: { readonly loose: LooseNotes; readonly transactions: Pick<Store['transactions'], 'byId'> };
  };
  readonly setting: () => Config['boltz']['toArkade'];
  readonly onSetting: (listener: () => void) => void;
  /** Turns the owner's switch off, where it is not held by what the node cannot change. */
  readonly turnOff: () => Promise<unknown>;
  readonly log: Log;
}): LooseLocks {
  const { runtime, setting, log } = options;
  const notes = runtime.store.loose;

  function counted(): Sats {
    const term = notes.term();
    return term === null ? noSats : sum(notes.locks(term));
  }

  function state(): LooseState {
    const term = notes.term();
    const over = term === null ? null : notes.over(term);
    if (over !== null && !over.has('off') && over.size > 0)
      return { is: 'over', why: over.has('loss') ? 'loss' : 'restored', counted: counted() };
    return over === null || over.size > 0 || !setting().enabled
      ? { is: 'off' }
      : { is: 'on', counted: counted(), total: sats(setting().maxLossSats) };
  }

  /** Of a swap whose end was not seen. */
  function countedOf(swap: string): Sats {
    const locks = notes.isOut(swap) ? notes.locks(notes.term() ?? 1) : [];
    return locks.find((lock) => lock.swap === swap)?.amount ?? noSats;
  }

  function room(swap?: string): Sats | Refusal {
    const now = state();
    if (now.is !== 'on') return refuse('unavailable', 'This node does not swap to Arkade here.');
    const own = swap === undefined ? noSats : countedOf(swap);
    const left = lesser(sats(setting().maxSwapSats), less(now.total, less(now.counted, own)));
    return left > noSats ? left : refuse('unavailable', 'What the owner agreed to for such swaps is used up.');
  }

  /** The owner's act is that the setting goes from off to on: a term that is over never goes on. */
  function follow(): void {
    const term = notes.term();
    const over = term === null ? null : notes.over(term);
    if (!setting().enabled) {
      if (over !== null && !over.has('off')) notes.endTerm('off');
    } else if (over === null || over.has('off')) begin((term ?? 0) + 1, term);
    else if (over.size > 0) turnOff();
  }

  /** What is under way may still be lost, and counts in the new term too. */
  function begin(term: number, before: number | null): void {
    quietly(() => notes.note({ is: 'term', term }));
    for (const { swap, amount, ended } of before === null ? [] : notes.locks(before)) {
      const isOut = ended === null && runtime.workingSet.readable(swap) !== null;
      if (isOut) quietly(() => notes.note({ is: 'lock', term, swap, amount: Number(amount) }));
    }
  }

  function turnOff(): void {
    inBackground(log, 'turning boltz.toArkade off', options.turnOff);
  }

  function settle(row: SwapRow): void {
    const isOlder = isForgotten(notes, row.id);
    const end = endOf(row, isOlder);
    if (end === null) return;
    const ended = end === 'lost' && !isOlder && !isMadeHere(row, runtime.store.transactions) ? 'well' : end;
    // The end of the term first: once its own end is noted the swap is not settled again.
    if (ended === 'lost') {
      quietly(() => notes.endTerm('loss'));
      turnOff();
    }
    notes.note({ is: 'end', swap: row.id, well: ended === 'well' });
  }

  /** What cannot be written counts in memory, and is written at the next start. */
  function quietly(act: () => void): void {
    try {
      act();
    } catch (cause) {
      log.error({ cause: String(cause) }, 'what became of a loose lock could not be noted in every place');
    }
  }

  const last = notes.term();
  for (const { swap } of last === null ? [] : notes.locks(last)) {
    const entry = notes.isOut(swap) ? runtime.workingSet.readable(swap) : null;
    if (entry !== null) quietly(() => settle(entry.row));
  }
  quietly(follow);
  options.onSetting(() => quietly(follow));
  runtime.commits.onCommit(({ entry: { row } }) => {
    if (notes.isOut(row.id)) quietly(() => settle(row));
  });

  return {
    state,
    room,
    reserve(swap, amount) {
      // Where a transaction of several creates fails each is done once more.
      if (notes.isOut(swap) && amount <= countedOf(swap)) return null;
      const left = room(swap);
      if (isRefusal(left)) return left;
      if (amount > left) return refuse('unavailable', `What the owner agreed to leaves ${left} sats for such a swap.`);
      try {
        notes.note({ is: 'lock', term: notes.term() ?? 1, swap, amount: Number(amount) });
        return null;
      } catch (cause) {
        log.error({ cause: String(cause) }, 'a loose lock could not be noted, and is not made');
        return refuse('unavailable', 'What such a swap may lose cannot be noted now: try again later.');
      }
    },
  };
}

/** By which it is seen that ours is paid for, or back; what the client has again says nothing of ours. */
function isSeenWell({ at, returned }: { readonly at: string; readonly returned?: object }): boolean {
  return at === 'claimed' || at === 'returned' || (at === 'refunded' && returned !== undefined);
}

/**
 * Null while that is not known. Nothing of ours is out once a swap is over, unless it is lost, nor ever will be once it
 * is given up; a lock of another amount may be quoted for. In a database that was restored the lock of one that was
 * never paid for may be forgotten, and counts on.
 */
function endOf({ open, progress }: SwapRow, isOlder: boolean): 'well' | 'lost' | null {
  const state = progress as { readonly at: string; readonly why?: string; readonly returned?: object };
  if (state.at === 'lost') return 'lost';
  const isGivenUp = state.at === 'stopped' && state.why !== 'invalid';
  return isSeenWell(state) || (!isOlder && (!open || isGivenUp)) ? 'well' : null;
}

/** Whether the swap is from before a restore, so that the database may not know of its lock. */
function isForgotten(notes: LooseNotes, swap: string): boolean {
  for (let term = notes.term() ?? 0; term > 0; term--)
    if (notes.over(term).has('restored') && notes.locks(term).some((lock) => lock.swap === swap)) return true;
  return false;
}

/**
 * Whether the lock is by a transaction of this node: a coin of the same amount that lay at the script before it is
 * taken for the lock, and a client that paid it to itself takes nothing of ours with it.
 */
function isMadeHere({ progress }: SwapRow, transactions: Pick<Store['transactions'], 'byId'>): boolean {
  const { lock } = progress as { readonly lock?: Outpoint };
  return lock === undefined || transactions.byId(lock.txid) !== null;
}

function sum(locks: readonly LooseLock[]): Sats {
  return locks.reduce((all, { amount }) => plus(all, amount), noSats);
}
