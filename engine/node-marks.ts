import { join } from 'node:path';
import { createNotedPlaces } from './noted-places.ts';
import { createOutside } from './outside-mark.ts';
import type { NodeBase } from './node-base.ts';
import type { NodePorts } from './node-ports.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { createTurns } from './rescue/patience.ts';
import { createSignal } from './runtime/signal.ts';
import { countGiven } from './service/htlc/cosign.ts';
import { isComparison } from './service/reconciliation/sentences.ts';
import { createRounds } from './service/rounds.ts';
import { leaveForgotten, leaveOthers } from './service/taker/used.ts';
import type { InTurn } from './store/far-lines.ts';
import { looseNotesName } from './store/loose-notes.ts';
import { notesName } from './store/partial-notes.ts';
import { furthestOf, isAhead, type Position } from './store/position.ts';
import { rolledBack, type Restored } from './store/restored.ts';

/** A place that does not answer for so long is away. */
const patienceMs = 10_000;

export interface NodeMarks {
  /** For what is asked of disks outside of the data folder. */
  readonly inTurn: InTurn;
  /** What lies outside is behind now. */
  follow(): void;
  /** A sentence where a folder lies open to a rollback that nobody would notice; else null. */
  unguarded(): string | null;
  /**
   * Nothing new is begun from here on before the owner resumes, and no key that may have been used is used again;
   * `mark`: the one outside that is ahead of this folder.
   */
  doubt(restored: Restored, mark?: Position | null): void;
  /** What the database of this start is older than; null for the one that the folder was last used with. */
  readonly restored: Restored | null;
  stop(): Promise<void>;
}

/** Compares the folder with the marks outside of it, doubts what they show, and keeps them up from here on. */
export async function openMarks(
  { folder, store, keys, options, log, intervals }: NodeBase,
  { settings }: NodePorts,
  { runtime, upkeep }: NodeRuntime,
): Promise<NodeMarks> {
  const inTurn = createTurns(patienceMs);
  const { highWater, takerHighWater } = folder;
  const ahead = createSignal<Position>();
  const outside = createOutside({
    position: () => folder.position(),
    key: keys.sealingKey('mark'),
    stateFolder: options.stateFolder,
    copyTo: () => settings.config.rescue.copyTo,
    onAhead: ahead.tell,
    log,
  });

  function doubt(restored: Restored, mark: Position | null = null): void {
    if (mark !== null || restored.by?.is === 'networks')
      leaveForgotten({ store, highWater: takerHighWater }, mark === null || mark.taker === 0 ? null : mark.taker - 1);
    endLooseLocks();
    upkeep.reconcile(restored, highWater);
    outside.follow();
  }

  /** What was lost since the copy was made is known to nobody: they are off until the owner turns them on. */
  function endLooseLocks(): void {
    if (store.loose.term() === null && !settings.config.boltz.toArkade.enabled) return;
    try {
      store.loose.endTerm('restored');
    } catch (cause) {
      log.warn({ cause: String(cause) }, 'that loose locks are over could not be noted in every place');
    }
  }

  const { position } = folder;
  const besideCopy = (name: string): readonly string[] => {
    const { copyTo } = settings.config.rescue;
    return copyTo === null ? [] : [`${copyTo}.${name}`];
  };
  const placesOf = (name: string) => () => [
    ...(options.stateFolder === null ? [] : [join(options.stateFolder, `${position().folder}.${name}`)]),
    ...besideCopy(name),
  ];
  /** From when it is seen until the pause stands that says so. */
  let isOlder = false;
  const noted = createNotedPlaces({
    isUnwritten: () => isOlder,
    isDoubted: () => isOlder || isComparison(runtime.guard.paused()?.reason ?? ''),
    // The folder of this machine is empty on a new one.
    atStart: [notesName, looseNotesName].flatMap(besideCopy),
    position,
    key: keys.sealingKey('mark'),
    settings: store.settings,
  });
  const unread = new Set([
    () => store.partials.alsoAt(placesOf(notesName), inTurn, noted.mayBeEmpty),
    () => store.loose.alsoAt(placesOf(looseNotesName), inTurn, noted.mayBeEmpty),
  ]);
  async function readNotes(whereNot: (cause: unknown) => void): Promise<void> {
    await Promise.all([...unread].map((read) => read().then(() => unread.delete(read), whereNot)));
  }
  const late = createRounds(runtime, {
    name: 'reading notes of a place that did not answer',
    everyMs: intervals.reconciliation,
    // What was given may be told there alone: a database restored from a copy knows nothing of it.
    async round() {
      const before = unread.size;
      await readNotes(() => undefined);
      if (unread.size < before) countGiven(runtime);
    },
  });
  ahead.on((mark) => doubt(rolledBack(store.counters.peek('swap'), [mark]), mark));
  const marks = await outside.read();
  const others = leaveOthers({ store, highWater: takerHighWater }, marks.ofSeed);
  const own = marks.own.filter((mark) => isAhead(mark, folder.position()));
  const restored = folder.restored(own);
  isOlder = restored !== null || others.length > 0;
  await readNotes((cause) => log.warn({ cause: String(cause) }, 'notes could not be read'));
  late.start();
  if (restored !== null) {
    doubt(restored, furthestOf(own));
    folder.forgetCopy();
  } else if (others.length > 0) doubt(rolledBack(store.counters.peek('swap'), others));
  if (isOlder) {
    isOlder = false;
    noted.begun();
  }
  runtime.commits.onCommit(() => outside.follow());

  return {
    inTurn,
    follow: () => outside.follow(),
    // A sandbox has no place for a mark unless it was given one.
    unguarded: () => (options.sandbox !== null && options.stateFolder === null ? null : outside.unguarded()),
    doubt,
    restored,
    async stop() {
      await late.stop();
      await outside.stop();
    },
  };
}
