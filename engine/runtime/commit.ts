import type { Queue } from '../legs/leg.ts';
import type { EffectRow } from '../store/effects.ts';
import { isOfDatabase, isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { Effect, Event, SwapStep } from '../swap/machine.ts';
import type { Clock } from './clock.ts';
import { logMove, still, type Committed } from './committed.ts';
import { tryDisk, tryRoom, type Disk } from './disk-trial.ts';
import { createGroup } from './group.ts';
import { list } from './listing.ts';
import type { Log } from './log.ts';
import { overtaken } from './networks/overtaken.ts';
import { changesNothing, saysAgain } from './no-change.ts';
import type { Pacing } from './pacing.ts';
import type { Entry, NewSwap } from './working-set.ts';

/** What a commit saves besides the swap, in the same transaction. */
export interface Along {
  /** The effect that caused the event: done, whatever the machine made of it. */
  readonly done?: number;
  /** Saved only when the machine moved. */
  readonly ifMoved?: (store: Store, now: number) => void;
  /**
   * A transaction that its effect signed and nobody was handed yet, saved only when the machine moved: what nobody
   * wants any more is never sent. Where the disk fails the effect fails with it and signs anew: until there is room its
   * coins or its nonce may be another's, and its time be over.
   */
  readonly prepared?: (store: Store, now: number) => void;
  /** The same of one that went out before: saved in any case, for a block may have it whatever the swap goes by. */
  readonly sent?: (store: Store, now: number) => void;
  /**
   * Other terms than before: the machine is asked by them, and only when it moves are they the swap's. Where the disk
   * fails it fails with it, for whoever agreed to them is told that nothing was changed.
   */
  readonly amended?: Pick<Entry['row'], 'terms' | 'valueSats'>;
  /** Saved in any case: what is known of a transaction does not depend on the swap's state. */
  readonly always?: (store: Store, now: number) => void;
}

/** What became of an event. */
export type Delivered = 'moved' | 'stayed' | 'unsaved';

export interface Commits {
  /**
   * Gives an event to a swap: load, step, save, journal, effects, in one durable transaction without an await.
   * `unsaved`: the disk did not take it, and it is given again each second.
   */
  deliver(id: string, event: Event, along?: Along): Delivered;
  /** Saves a new swap with its first effects; `build` runs in the same transaction and may refuse by throwing. */
  open(id: string, build: (store: Store) => { row: NewSwap; effects: readonly Effect[] }): Entry;
  /**
   * Does what is asked for in one turn of the event loop in one transaction with one sync, each in its order and each
   * undone by itself where it throws; resolves once all of it is durable, and not before is anybody told. Where the
   * transaction fails each is done alone, so `work` may run twice: it is synchronous and changes nothing but store and
   * swaps.
   */
  together<T>(work: () => T): Promise<T>;
  onCommit(listener: (committed: Committed) => void): () => void;
}

interface Options extends Disk {
  readonly clock: Clock;
  readonly pacing: Pacing;
  readonly log: Log;
  /** News of this key were saved, or there was nothing to save: earlier ones are none any more. */
  readonly onSettled: (swap: string, key: string) => void;
  /** A listener failed on a commit that stands; the others are told of it all the same. */
  readonly onTellFailed: (swap: string, cause: unknown) => void;
}

interface Own extends Options {
  readonly group: ReturnType<typeof createGroup>;
  readonly listeners: Set<(committed: Committed) => void>;
  /** Whose distrust was told in this life of the process. */
  readonly distrusted: Set<string>;
}

export function createCommits(options: Options): Commits {
  const group = createGroup(options.store);
  const own: Own = { ...options, group, listeners: new Set(), distrusted: new Set() };
  return {
    deliver: (id, event, along) => deliver(own, id, event, along),
    open: (id, build) => open(own, id, build),
    together: group.together,
    onCommit(listener) {
      own.listeners.add(listener);
      return () => own.listeners.delete(listener);
    },
  };
}

/** Memory has it at once; others hear of it when it is durable, and where it never is memory is undone. */
function tell(own: Own, committed: Committed, event: string, undo: () => void): Entry {
  const { group, distrusted, listeners, onTellFailed } = own;
  const { entry } = committed;
  const { id } = entry.row;
  group.keep({
    undo,
    tell() {
      logMove(own.log, committed, event);
      if (committed.distrusted) distrusted.add(id);
      for (const listener of listeners) {
        try {
          listener(committed);
        } catch (cause) {
          onTellFailed(id, cause);
        }
      }
    },
  });
  return entry;
}

/** At once the first time; asked for again, after a pause that is saved with it. */
function owe({ store, pacing }: Own, subject: string, effect: Effect): EffectRow {
  const { timesAsked, due } = pacing.ask(subject, effect);
  return store.effects.insert(subject, effect, due, timesAsked);
}

function save(own: Own, entry: Entry, step: SwapStep<{ readonly at: string }>, event: Event, along: Along): Committed {
  const { store, log } = own;
  const clocks = own.clock.now();
  const now = clocks.wall;
  const { machine } = entry;
  const row = { ...entry.row, ...along.amended };
  const { supersedes = [], interrupts = [] } = step;
  const { saved, effects } = store.atomically(() => {
    if (along.amended !== undefined) store.swaps.amend(row, now);
    const updated = store.swaps.update({
      ...row,
      updatedAt: now,
      status: machine.status(step.progress),
      open: machine.open(row.terms, step.progress),
      flag: step.flag ?? row.flag,
      progress: step.progress,
    });
    list(store, { row: updated, machine }, clocks, log);
    if (step.learned !== undefined) store.preimages.keep(machine.hash160(row.terms), step.learned, now);
    if (machine.reserves(row.progress) && !machine.reserves(step.progress)) store.reservations.release(row.id);
    if (machine.untold(step.progress)) store.hashes.free(row.id);
    else if (!updated.open) store.intents.forget(row.id);
    for (const line of step.ledger ?? []) store.ledger.write(row.id, now, line.kind, line);
    store.journal.write(row.id, {
      time: now,
      event: event.is,
      from: row.progress.at,
      to: step.progress.at,
      effects: step.effects.map((effect) => effect.do),
    });
    along.ifMoved?.(store, now);
    along.prepared?.(store, now);
    along.sent?.(store, now);
    along.always?.(store, now);
    if (along.done !== undefined) store.effects.done(along.done);
    for (const leg of supersedes) forgetBefore(store, row.id, leg, now);
    for (const leg of interrupts) store.effects.retire(row.id, leg);
    return { saved: updated, effects: step.effects.map((effect) => owe(own, row.id, effect)) };
  });
  // Only now: memory is never ahead of the disk.
  return {
    entry: own.workingSet.keep(saved),
    from: { at: row.progress.at, status: row.status },
    effects,
    dropped: [...supersedes, ...interrupts],
    flagged: step.flag ?? null,
    distrusted: step.distrust === true,
  };
}

function deliver(own: Own, id: string, event: Event, along: Along = {}): Delivered {
  const { store, workingSet, clock, group, distrusted } = own;
  const entry = workingSet.find(id);
  if (entry === null) throw new Error(`no swap ${id}`);
  const { terms } = along.amended ?? entry.row;
  const step = entry.machine.step(terms, entry.row.progress, event, clock.now());
  const undo = workingSet.memoryOf(id);
  // A secret may be shown once: it stands behind no other news.
  const shown = step !== 'stay' && step.learned !== undefined ? ' with its secret' : '';
  const key = `${id} ${along.done ?? event.is}${shown}`;
  const settled = { undo: () => undefined, tell: () => own.onSettled(id, key) };
  try {
    const idle = step !== 'stay' && savesNothing(along) && changesNothing(step, entry);
    const isNew = step !== 'stay' && step.distrust === true && !distrusted.has(id);
    if (step === 'stay' || idle || saysAgain(step, entry)) {
      // Whoever brings the coin to the chain has forgotten it after a restart; nobody is alarmed twice.
      if (isNew) tell(own, { entry, ...still(entry), distrusted: true }, event.is, undo);
      if (along.done !== undefined || along.always !== undefined || along.sent !== undefined) {
        const now = clock.now().wall;
        store.atomically(() => {
          along.sent?.(store, now);
          along.always?.(store, now);
          if (along.done !== undefined) store.effects.done(along.done);
        });
      }
      group.keep(settled);
      return idle ? 'moved' : 'stayed';
    }
    tell(own, save(own, entry, step, event, along), event.is, undo);
    group.keep(settled);
    return 'moved';
  } catch (cause) {
    if (isStorageFailure(cause)) {
      // Of a group nothing is saved then, and each is delivered again alone.
      if (group.open) throw cause;
      if (along.prepared !== undefined || along.sent !== undefined || along.amended !== undefined) {
        tryDisk(own, entry, key, cause);
        throw cause;
      }
      own.onSaveFailed(cause, {
        swap: id,
        key,
        retry: () => deliver(own, id, event, along),
        step: step === 'stay' ? null : step,
      });
      return 'unsaved';
    }
    workingSet.reread(id);
    throw cause;
  }
}

function open(own: Own, id: string, build: (store: Store) => { row: NewSwap; effects: readonly Effect[] }): Entry {
  try {
    return openNew(own, id, build);
  } catch (cause) {
    // Of a group nothing is saved then, and each is opened again alone.
    if (isOfDatabase(cause) && !own.group.open) tryRoom(own, id, cause);
    throw cause;
  }
}

function openNew(own: Own, id: string, build: (store: Store) => { row: NewSwap; effects: readonly Effect[] }): Entry {
  const { store, workingSet, clock, log } = own;
  const undo = workingSet.memoryOf(id);
  const { row, effects } = store.atomically(() => {
    const built = build(store);
    const fresh = workingSet.fresh(built.row);
    store.swaps.insert(fresh);
    const clocks = clock.now();
    list(store, workingSet.entryOf(fresh), clocks, log);
    store.journal.write(id, {
      time: clocks.wall,
      event: 'created',
      from: '',
      to: built.row.progress.at,
      effects: built.effects.map((effect) => effect.do),
    });
    return { row: fresh, effects: built.effects.map((effect) => owe(own, id, effect)) };
  });
  return tell(
    own,
    {
      entry: workingSet.keep(row),
      from: { at: '', status: row.status },
      effects,
      dropped: [],
      flagged: row.flag,
      distrusted: false,
    },
    'created',
    undo,
  );
}

function savesNothing({ ifMoved, prepared, amended }: Along): boolean {
  return ifMoved === undefined && prepared === undefined && amended === undefined;
}

/** What a leg asked for before is not done any more; what is on its way already is judged by its own network. */
function forgetBefore(store: Store, subject: string, leg: Queue, now: number): void {
  store.effects.retire(subject, leg);
  for (const row of store.transactions.of(subject, leg)) {
    if (row.state !== 'prepared' && row.state !== 'accepted') continue;
    const fate = overtaken(row);
    if (fate !== 'queued') store.transactions.close(row.txid, fate, now);
    else if (row.state === 'prepared') store.transactions.close(row.txid, 'dead', now);
  }
}
