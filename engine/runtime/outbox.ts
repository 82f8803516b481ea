import { PortFailure } from '../domain/errors.ts';
import type { EffectRow } from '../store/effects.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { Effect } from '../swap/machine.ts';
import type { Log } from './log.ts';

/** Thrown by a handler that was told to come back: no failure, only not yet. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly seconds: number;
  /** A person should know the reason. */
  readonly alarm: boolean;

  constructor(seconds: number, reason: string, alarm = false) {
    super(reason);
    this.seconds = seconds;
    this.alarm = alarm;
  }
}

/** Executes one effect and marks it done, with what came of it, in one commit. */
export type Handler = (row: EffectRow<Effect>, signal: AbortSignal) => Promise<void>;

export interface Outbox {
  add(rows: readonly EffectRow<Effect>[]): void;
  /** Forgets the subject's effects, whose rows a commit has deleted; one that is running ends by itself, unawaited. */
  supersede(subject: string): void;
  /** Subjects with effects that are due, running or waiting. */
  readonly size: number;
  start(): void;
  stop(): Promise<void>;
}

const firstRetryMs = 250;
const longestRetryMs = 15_000;
const parkedForMs = 600_000;
const atOnce = 48;

/**
 * Executes what the commits decided, at least once each, one at a time per subject and in order. A failure that may be
 * repeated is repeated for ever with growing pauses: what is owed has no deadline. One that cannot be, or a bug, parks
 * the effect and flags the swap; it never stops the others. Every now and then what is parked is tried all the same: a
 * claim that one wrong answer of a network ended would be lost at its locktime if nobody looked before.
 */
export function createOutbox(options: {
  store: Store;
  handler: Handler;
  log: Log;
  nowMs: () => number;
  onParked: (row: EffectRow<Effect>, reason: string) => void;
  /** It is tried again, and a person should know why it has to be. */
  onAlarm: (row: EffectRow<Effect>, reason: string) => void;
  /** How long a parked effect rests before it is tried once more. */
  parkedMs?: number;
}): Outbox {
  const { store, handler, log, nowMs, parkedMs = parkedForMs } = options;
  const queues = new Map<string, EffectRow<Effect>[]>();
  const running = new Map<string, { readonly row: EffectRow<Effect>; readonly ended: Promise<void> }>();
  const overtaken = new Set<Promise<void>>();
  const ready: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const abort = new AbortController();
  let started = false;

  function pump(): void {
    while (started && running.size < atOnce) {
      const subject = ready.shift();
      if (subject === undefined) return;
      const row = queues.get(subject)?.[0];
      if (row === undefined || running.has(subject)) continue;
      running.set(subject, { row, ended: execute(subject, row) });
    }
  }

  async function execute(subject: string, row: EffectRow<Effect>): Promise<void> {
    let retryInMs: number | null = null;
    try {
      await handler(row, abort.signal);
    } catch (cause) {
      if (running.get(subject)?.row === row) retryInMs = afterFailure(row, cause);
      else log.warn({ subject, effect: row.effect.do, cause: String(cause) }, 'an effect that was not wanted any more failed');
    }
    if (running.get(subject)?.row !== row) return;
    running.delete(subject);
    const queue = queues.get(subject) ?? [];
    if (retryInMs === null) queue.shift();
    if (queue.length === 0) queues.delete(subject);
    else if (retryInMs === null) ready.push(subject);
    else later(subject, retryInMs);
    pump();
  }

  function afterFailure(row: EffectRow<Effect>, cause: unknown): number | null {
    if (abort.signal.aborted) return longestRetryMs;
    const head = queues.get(row.subject);
    // A full disk is no verdict on the effect: claims and refunds go on as soon as there is room (faults.md 3).
    if (cause instanceof NotYet || isStorageFailure(cause) || (cause instanceof PortFailure && cause.retry !== 'never')) {
      const pause = cause instanceof NotYet ? cause.seconds * 1_000 : Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(row.attempts, 10));
      const attempts = row.attempts + 1;
      if (head !== undefined) head[0] = { ...row, attempts };
      // One that only waits, for six blocks say, says so at its first, second, fourth, eighth ... try.
      if (!(cause instanceof NotYet) || Number.isInteger(Math.log2(attempts))) {
        log.warn({ subject: row.subject, effect: row.effect.do, attempts, cause: cause instanceof Error ? cause.message : String(cause) }, 'effect will be tried again');
      }
      saveQuietly(() => {
        store.effects.postpone(row.id, nowMs() + pause);
        if (cause instanceof NotYet && cause.alarm) options.onAlarm(row, cause.message);
      }, row);
      return pause;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    log.error({ subject: row.subject, effect: row.effect.do, cause: reason, ...(cause instanceof Error && !(cause instanceof PortFailure) ? { stack: cause.stack } : {}) }, 'effect parked');
    saveQuietly(() => {
      store.effects.park(row.id, reason);
      options.onParked(row, reason);
    }, row);
    reviveLater(row);
    return null;
  }

  /** Unless the owner was quicker, or a commit dropped it. */
  function reviveLater(row: EffectRow<Effect>): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      saveQuietly(() => {
        const [again] = store.effects.revive(row.id);
        if (again !== undefined) add([again]);
      }, row);
    }, parkedMs);
    timer.unref();
    timers.add(timer);
  }

  /** The row is still on disk as it was: a restart tries again. */
  function saveQuietly(save: () => void, row: EffectRow<Effect>): void {
    try {
      save();
    } catch (cause) {
      log.error({ subject: row.subject, effect: row.effect.do, cause: String(cause) }, 'the pause of an effect could not be saved');
    }
  }

  function later(subject: string, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      ready.push(subject);
      pump();
    }, ms);
    timers.add(timer);
  }

  function add(rows: readonly EffectRow<Effect>[]): void {
    for (const row of rows) {
      const queue = queues.get(row.subject);
      if (queue === undefined) {
        queues.set(row.subject, [row]);
        const wait = row.due - nowMs();
        // What waits from before a restart is tried at once: the reason for waiting may be gone.
        if (wait > 0 && started) later(row.subject, wait);
        else ready.push(row.subject);
      } else {
        queue.push(row);
      }
    }
    pump();
  }

  return {
    add,
    supersede(subject) {
      queues.delete(subject);
      const one = running.get(subject);
      if (one === undefined) return;
      running.delete(subject);
      const ended = one.ended.finally(() => overtaken.delete(ended));
      overtaken.add(ended);
    },
    get size() {
      return queues.size;
    },
    start() {
      started = true;
      pump();
    },
    async stop() {
      started = false;
      abort.abort();
      for (const timer of timers) clearTimeout(timer);
      await Promise.allSettled([...[...running.values()].map(({ ended }) => ended), ...overtaken]);
    },
  };
}
