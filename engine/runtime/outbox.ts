import { everyQueue, type Queue } from '../legs/leg.ts';
import type { EffectRow } from '../store/effects.ts';
import { laneOf } from './networks/acts.ts';
import type { Lane } from './networks/act.ts';
import { mayRepeat, park, pauseAfter, postpone, saveQuietly, type Failing } from './outbox-failure.ts';
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
  /** More claims, settlements and refunds are due than there are places: what can wait makes way. */
  readonly crowded: boolean;
  start(): void;
  stop(): Promise<void>;
}

/** By `performance.now()`. */
interface Rest {
  readonly timer: NodeJS.Timeout;
  readonly since: number;
  readonly until: number;
}

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

interface Options extends Failing {
  readonly handler: Handler;
  readonly wallets: Pick<Wallets, 'isFree' | 'onFree'>;
}

interface Run {
  readonly row: EffectRow;
  readonly ended: Promise<void>;
}

/** What is owed, by its queue, and how far each has got. */
interface Own {
  readonly options: Options;
  readonly queues: Map<string, Item[]>;
  readonly running: Map<string, Run>;
  readonly resting: Map<string, Rest>;
  /** Dropped while they ran: they end by themselves. */
  readonly overtaken: Set<Promise<void>>;
  /** Woken while they ran: what they asked may have been answered before the news. */
  readonly stale: Set<string>;
  readonly slots: ReturnType<typeof createSlots>;
  readonly revivals: Set<NodeJS.Timeout>;
  readonly abort: AbortController;
  started: boolean;
}

/**
 * Executes what the commits decided, at least once each, one at a time per leg of a swap and in order, save that what
 * only keeps something alive stands in nobody's way. A failure that may be repeated is repeated for ever with growing
 * pauses: what is owed has no deadline. One that cannot be, or a bug, parks the effect and flags the swap; it never
 * stops the others, and what blocks one leg delays no other. Every now and then what is parked is tried all the same: a
 * claim that one wrong answer of a network ended would be lost at its locktime if nobody looked before. All pauses are
 * made here and in `pacing.ts`, and who goes first in `slots.ts`: an effect need not know of either.
 */
export function createOutbox(options: Options): Outbox {
  const { wallets } = options;
  const own: Own = {
    options,
    queues: new Map(),
    running: new Map(),
    resting: new Map(),
    overtaken: new Set(),
    stale: new Set(),
    slots: createSlots((wallet) => wallets.isFree(wallet)),
    revivals: new Set(),
    abort: new AbortController(),
    started: false,
  };
  const offFree = wallets.onFree(() => pump(own));
  return {
    add: (rows) => add(own, rows),
    drop(subject, legs) {
      for (const leg of legs) dropOne(own, queueOf({ subject, leg }));
    },
    wake: (subject) => wake(own, subject),
    get size() {
      return own.queues.size;
    },
    get crowded() {
      return own.slots.crowded;
    },
    start() {
      own.started = true;
      pump(own);
    },
    async stop() {
      own.started = false;
      own.abort.abort();
      offFree();
      await allEnded(own);
    },
  };
}

function pump(own: Own): void {
  while (own.started) {
    const next = own.slots.take((queue) => laneNow(own, queue));
    if (next === null) return;
    const row = own.queues.get(next.queue)?.[0]?.row;
    if (row === undefined) throw new Error(`nothing is owed in the queue ${next.queue}`);
    own.stale.delete(next.queue);
    own.running.set(next.queue, { row, ended: execute(own, next.queue, row, next.lane) });
  }
}

/** Null for a queue that stands in line for nothing any more, or twice. */
function laneNow({ queues, running, resting }: Own, queue: string): Lane | null {
  const head = queues.get(queue)?.[0];
  return head === undefined || running.has(queue) || resting.has(queue) ? null : laneOf(head.row.effect);
}

async function execute(own: Own, queue: string, row: EffectRow, lane: Lane): Promise<void> {
  const { options, queues, running } = own;
  let isOwed = false;
  try {
    await options.handler(row, own.abort.signal);
  } catch (cause) {
    if (running.get(queue)?.row === row) isOwed = afterFailure(own, row, cause);
    else
      options.log.warn(
        { subject: row.subject, effect: row.effect.do, cause: String(cause) },
        'an effect that was not wanted any more failed',
      );
  }
  own.slots.leave(lane);
  if (running.get(queue)?.row === row) {
    running.delete(queue);
    if (!isOwed) queues.get(queue)?.shift();
    proceed(own, queue);
  }
  pump(own);
}

/** A queue's first effect gets in line, now or when it has rested. */
function proceed(own: Own, queue: string): void {
  const head = own.queues.get(queue)?.[0];
  if (head === undefined) {
    own.queues.delete(queue);
    return;
  }
  const ms = head.notBefore - performance.now();
  if (ms > 0) rest(own, queue, ms);
  else own.slots.wait(queue, laneOf(head.row.effect));
}

function rest(own: Own, queue: string, ms: number, since = performance.now()): void {
  if (own.abort.signal.aborted) return;
  const timer = setTimeout(() => {
    getUp(own, queue);
    pump(own);
  }, ms);
  own.resting.set(queue, { timer, since, until: performance.now() + ms });
}

function getUp({ queues, resting, slots }: Own, queue: string): void {
  clearTimeout(resting.get(queue)?.timer);
  resting.delete(queue);
  const head = queues.get(queue)?.[0];
  if (head !== undefined) slots.wait(queue, laneOf(head.row.effect));
}

/** Whether its queue owes it still. */
function afterFailure(own: Own, row: EffectRow, cause: unknown): boolean {
  const { options } = own;
  if (own.abort.signal.aborted) return true;
  const parkedFor = mayRepeat(cause) ? null : park(options, row, cause);
  if (parkedFor !== null) {
    reviveLater(own, row, parkedFor);
    return false;
  }
  const usual = pauseAfter(options, row, cause);
  const pause = own.stale.delete(queueOf(row)) ? Math.min(usual, leastRestMs) : usual;
  const queue = own.queues.get(queueOf(row));
  if (queue !== undefined) {
    queue.shift();
    putBack(queue, { row: { ...row, attempts: row.attempts + 1 }, notBefore: performance.now() + pause });
  }
  postpone(options, row, cause, pause);
  return true;
}

/** Unless the owner was quicker, or a commit dropped it; while the disk fails, again and again. */
function reviveLater(own: Own, row: EffectRow, ms: number): void {
  const { store, pacing } = own.options;
  const timer = setTimeout(() => {
    own.revivals.delete(timer);
    const isSaved = saveQuietly(own.options, row, () => {
      const [again] = store.effects.revive(row.id);
      if (again !== undefined) add(own, [again]);
    });
    if (!isSaved) reviveLater(own, row, pacing.longestFailureMs);
  }, ms);
  timer.unref();
  own.revivals.add(timer);
}

function add(own: Own, rows: readonly EffectRow[]): void {
  const { nowMs, pacing } = own.options;
  for (const row of rows) {
    const wait = Math.min(row.due - nowMs(), own.started ? pacing.longestMs : longestAtStartMs);
    const item = { row, notBefore: wait > 0 ? performance.now() + wait : 0 };
    const name = queueOf(row);
    const queue = own.queues.get(name);
    if (queue === undefined) {
      own.queues.set(name, [item]);
      proceed(own, name);
    } else {
      queue.push(item);
    }
  }
  pump(own);
}

function wake(own: Own, subject: string | undefined): boolean {
  const { running, resting, stale } = own;
  const named = subject === undefined ? null : everyQueue.map((leg) => queueOf({ subject, leg }));
  for (const one of named ?? running.keys()) if (running.has(one)) stale.add(one);
  const woken = (named ?? [...resting.keys()]).filter((queue) => wakeOne(own, queue));
  if (woken.length > 0) pump(own);
  return woken.length > 0;
}

/** News that comes too soon is not lost: a block right behind another may be the last one for hours. */
function wakeOne(own: Own, queue: string): boolean {
  const rests = own.resting.get(queue);
  if (rests === undefined) return false;
  const left = rests.since + leastRestMs - performance.now();
  if (left <= 0) {
    getUp(own, queue);
    return true;
  }
  if (rests.until > rests.since + leastRestMs) {
    clearTimeout(rests.timer);
    rest(own, queue, left, rests.since);
  }
  return false;
}

function dropOne({ queues, running, resting, overtaken, stale }: Own, queue: string): void {
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

/** No timer runs any more, and what was running has ended. */
async function allEnded({ running, resting, overtaken, revivals }: Own): Promise<void> {
  for (const timer of revivals) clearTimeout(timer);
  for (const { timer } of resting.values()) clearTimeout(timer);
  await Promise.allSettled([...[...running.values()].map((one) => one.ended), ...overtaken]);
}
