import { PortFailure } from '../domain/errors.ts';
import { everyQueue, type Queue } from '../legs/leg.ts';
import type { EffectRow } from '../store/effects.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import { laneOf } from './networks/acts.ts';
import type { Lane } from './networks/act.ts';
import type { Log } from './log.ts';
import { NotYet } from './not-yet.ts';
import type { Pacing } from './pacing.ts';
import { putBack, queueOf, type Item } from './queue.ts';
import { createSlots } from './slots.ts';
import type { Wallets } from './wallets.ts';

/** Executes one effect and marks it done, with what came of it, in one commit. */
export type Handler = (row: EffectRow, signal: AbortSignal) => Promise<void>;

export interface Outbox {
  add(rows: readonly EffectRow[]): void;
  /**
   * Forgets the effects of these legs, whose rows a commit has deleted; one that is running ends by itself, unawaited.
   */
  drop(subject: string, legs: readonly Queue[]): void;
  /**
   * Something new is known, a block or a network that is back: what rests is tried now, and what was tried this second
   * in the next. True when anything was now.
   */
  wake(subject?: string): boolean;
  /** Queues with effects that are due, running or waiting. */
  readonly size: number;
  start(): void;
  stop(): Promise<void>;
}

/** By `performance.now()`. */
interface Rest {
  readonly timer: NodeJS.Timeout;
  readonly since: number;
  readonly until: number;
}

const parkedForMs = 600_000;
/**
 * The reason for which something rested before a restart may be gone. Not at once, for a process that dies and comes
 * back again and again would hammer, but soon.
 */
const longestAtStartMs = 5_000;
/**
 * What rests is not woken sooner than this after it was tried, however often something new is known: then it is woken
 * at this moment.
 */
const leastRestMs = 1_000;

/**
 * Executes what the commits decided, at least once each, one at a time per leg of a swap and in order, save that what
 * only keeps something alive stands in nobody's way. A failure that may be repeated is repeated for ever with growing
 * pauses: what is owed has no deadline. One that cannot be, or a bug, parks the effect and flags the swap; it never
 * stops the others, and what blocks one leg delays no other. Every now and then what is parked is tried all the same: a
 * claim that one wrong answer of a network ended would be lost at its locktime if nobody looked before. All pauses are
 * made here and in `pacing.ts`, and who goes first in `slots.ts`: an effect need not know of either.
 */
export function createOutbox(options: {
  store: Store;
  handler: Handler;
  log: Log;
  nowMs: () => number;
  pacing: Pacing;
  wallets: Pick<Wallets, 'isFree' | 'onFree'>;
  /** One sync to the disk for what is saved in one turn. */
  together: (save: () => void) => Promise<void>;
  onParked: (row: EffectRow, reason: string) => void;
  /** It is tried again, and a person should know why it has to be. */
  onAlarm: (row: EffectRow, reason: string) => void;
  /** How long a parked effect rests before it is tried once more. */
  parkedMs?: number;
}): Outbox {
  const { store, handler, log, nowMs, pacing, wallets, parkedMs = parkedForMs } = options;
  const queues = new Map<string, Item[]>();
  const running = new Map<string, { readonly row: EffectRow; readonly ended: Promise<void> }>();
  const resting = new Map<string, Rest>();
  const overtaken = new Set<Promise<void>>();
  /** Woken while they ran: what they asked may have been answered before the news. */
  const stale = new Set<string>();
  const slots = createSlots((wallet) => wallets.isFree(wallet));
  const revivals = new Set<NodeJS.Timeout>();
  const abort = new AbortController();
  let started = false;

  function pump(): void {
    while (started) {
      const next = slots.take(laneNow);
      if (next === null) return;
      const row = queues.get(next.queue)?.[0]?.row;
      if (row === undefined) throw new Error(`nothing is owed in the queue ${next.queue}`);
      stale.delete(next.queue);
      running.set(next.queue, { row, ended: execute(next.queue, row, next.lane) });
    }
  }

  /** Null for a queue that stands in line for nothing any more, or twice. */
  function laneNow(queue: string): Lane | null {
    const head = queues.get(queue)?.[0];
    return head === undefined || running.has(queue) || resting.has(queue) ? null : laneOf(head.row.effect);
  }

  async function execute(queue: string, row: EffectRow, lane: Lane): Promise<void> {
    let restMs: number | null = null;
    try {
      await handler(row, abort.signal);
    } catch (cause) {
      if (running.get(queue)?.row === row) restMs = afterFailure(row, cause);
      else
        log.warn(
          { subject: row.subject, effect: row.effect.do, cause: String(cause) },
          'an effect that was not wanted any more failed',
        );
    }
    slots.leave(lane);
    if (running.get(queue)?.row === row) {
      running.delete(queue);
      if (restMs === null) queues.get(queue)?.shift();
      proceed(queue);
    }
    pump();
  }

  /** A queue's first effect gets in line, now or when it has rested. */
  function proceed(queue: string): void {
    const head = queues.get(queue)?.[0];
    if (head === undefined) {
      queues.delete(queue);
      return;
    }
    const ms = head.notBefore - performance.now();
    if (ms > 0) rest(queue, ms);
    else slots.wait(queue, laneOf(head.row.effect));
  }

  function rest(queue: string, ms: number, since = performance.now()): void {
    if (abort.signal.aborted) return;
    const timer = setTimeout(() => {
      getUp(queue);
      pump();
    }, ms);
    resting.set(queue, { timer, since, until: performance.now() + ms });
  }

  function getUp(queue: string): void {
    clearTimeout(resting.get(queue)?.timer);
    resting.delete(queue);
    const head = queues.get(queue)?.[0];
    if (head !== undefined) slots.wait(queue, laneOf(head.row.effect));
  }

  function afterFailure(row: EffectRow, cause: unknown): number | null {
    if (abort.signal.aborted) return pacing.longestFailureMs;
    // A full disk is no verdict on the effect: claims and refunds go on as soon as there is room (facts/faults.md 3).
    if (
      cause instanceof NotYet ||
      isStorageFailure(cause) ||
      (cause instanceof PortFailure && cause.retry !== 'never')
    ) {
      const named = cause instanceof NotYet ? cause.seconds : null;
      const usual = named === null ? pacing.afterFailure(row.attempts) : pacing.spread(named * 1_000);
      const pause = stale.delete(queueOf(row)) ? Math.min(usual, leastRestMs) : usual;
      const attempts = row.attempts + 1;
      const queue = queues.get(queueOf(row));
      if (queue !== undefined) {
        queue.shift();
        putBack(queue, { row: { ...row, attempts }, notBefore: performance.now() + pause });
      }
      // One that only waits, for six blocks say, says so at its first, second, fourth, eighth ... try.
      if (!(cause instanceof NotYet) || Number.isInteger(Math.log2(attempts))) {
        log.warn(
          {
            subject: row.subject,
            effect: row.effect.do,
            attempts,
            cause: cause instanceof Error ? cause.message : String(cause),
          },
          'effect will be tried again',
        );
      }
      options
        .together(() => {
          store.effects.postpone(row.id, nowMs() + pause);
          if (cause instanceof NotYet && cause.alarm) options.onAlarm(row, cause.message);
        })
        .catch((failure: unknown) => notSaved(row, failure));
      return pause;
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    log.error(
      {
        subject: row.subject,
        effect: row.effect.do,
        cause: reason,
        ...(cause instanceof Error && !(cause instanceof PortFailure) ? { stack: cause.stack } : {}),
      },
      'effect parked',
    );
    const restMs = pacing.spread(parkedMs);
    saveQuietly(() => {
      store.effects.park(row.id, reason, nowMs() + restMs);
      options.onParked(row, reason);
    }, row);
    reviveLater(row, restMs);
    return null;
  }

  /** Unless the owner was quicker, or a commit dropped it. */
  function reviveLater(row: EffectRow, ms: number): void {
    const timer = setTimeout(() => {
      revivals.delete(timer);
      saveQuietly(() => {
        const [again] = store.effects.revive(row.id);
        if (again !== undefined) add([again]);
      }, row);
    }, ms);
    timer.unref();
    revivals.add(timer);
  }

  /** The row is still on disk as it was: a restart tries again. */
  function saveQuietly(save: () => void, row: EffectRow): void {
    try {
      save();
    } catch (cause) {
      notSaved(row, cause);
    }
  }

  function notSaved(row: EffectRow, cause: unknown): void {
    log.error(
      { subject: row.subject, effect: row.effect.do, cause: String(cause) },
      'the pause of an effect could not be saved',
    );
  }

  function add(rows: readonly EffectRow[]): void {
    for (const row of rows) {
      const wait = Math.min(row.due - nowMs(), started ? pacing.longestMs : longestAtStartMs);
      const item = { row, notBefore: wait > 0 ? performance.now() + wait : 0 };
      const name = queueOf(row);
      const queue = queues.get(name);
      if (queue === undefined) {
        queues.set(name, [item]);
        proceed(name);
      } else {
        queue.push(item);
      }
    }
    pump();
  }

  /** News that comes too soon is not lost: a block right behind another may be the last one for hours. */
  function wakeOne(queue: string): boolean {
    const rests = resting.get(queue);
    if (rests === undefined) return false;
    const left = rests.since + leastRestMs - performance.now();
    if (left <= 0) {
      getUp(queue);
      return true;
    }
    if (rests.until > rests.since + leastRestMs) {
      clearTimeout(rests.timer);
      rest(queue, left, rests.since);
    }
    return false;
  }

  function dropOne(queue: string): void {
    queues.delete(queue);
    clearTimeout(resting.get(queue)?.timer);
    resting.delete(queue);
    const one = running.get(queue);
    if (one === undefined) return;
    running.delete(queue);
    stale.delete(queue);
    const ended = one.ended.finally(() => overtaken.delete(ended));
    overtaken.add(ended);
  }

  const offFree = wallets.onFree(pump);

  return {
    add,
    drop(subject, legs) {
      for (const leg of legs) dropOne(queueOf({ subject, leg }));
    },
    wake(subject) {
      const named = subject === undefined ? null : everyQueue.map((leg) => queueOf({ subject, leg }));
      for (const one of named ?? running.keys()) if (running.has(one)) stale.add(one);
      const woken = (named ?? [...resting.keys()]).filter(wakeOne);
      if (woken.length > 0) pump();
      return woken.length > 0;
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
      offFree();
      for (const timer of revivals) clearTimeout(timer);
      for (const { timer } of resting.values()) clearTimeout(timer);
      await Promise.allSettled([...[...running.values()].map(({ ended }) => ended), ...overtaken]);
    },
  };
}
