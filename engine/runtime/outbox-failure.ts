import { PortFailure } from '../domain/errors.ts';
import { cutWords, mostLooked } from '../domain/words.ts';
import type { EffectRow } from '../store/effects.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';
import { NotYet } from './not-yet.ts';
import type { Pacing } from './pacing.ts';

/** What the outbox makes of a failure, and saves of it. */
export interface Failing {
  readonly store: Store;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly pacing: Pacing;
  /** One sync to the disk for what is saved in one turn. */
  readonly together: (save: () => void) => Promise<void>;
  readonly onParked: (row: EffectRow, reason: string) => void;
  /** It is tried again, and a person should know why it has to be. */
  readonly onAlarm: (row: EffectRow, reason: string) => void;
  /** How long a parked effect rests before it is tried once more. */
  readonly parkedMs?: number;
}

const parkedForMs = 600_000;

/** A full disk is no verdict on the effect: claims and refunds go on as soon as there is room (facts/faults.md 3). */
export function mayRepeat(cause: unknown): boolean {
  return (
    cause instanceof NotYet || isStorageFailure(cause) || (cause instanceof PortFailure && cause.retry !== 'never')
  );
}

/** Milliseconds until what may be repeated is. */
export function pauseAfter({ pacing }: Failing, { attempts }: EffectRow, cause: unknown): number {
  const named = cause instanceof NotYet ? cause.seconds : null;
  return named === null ? pacing.afterFailure(attempts) : pacing.spread(named * 1_000);
}

/** It is tried again after `pause`, here and after a restart. */
export function postpone(own: Failing, row: EffectRow, cause: unknown, pause: number): void {
  const attempts = row.attempts + 1;
  // One that only waits, for six blocks say, says so and is saved at its first, second, fourth, eighth ... try: a
  // restart tries it soon in any case.
  const isNews = !(cause instanceof NotYet) || Number.isInteger(Math.log2(attempts));
  if (isNews) {
    own.log.warn(
      { subject: row.subject, effect: row.effect.do, attempts, cause: reasonOf(cause) },
      'effect will be tried again',
    );
  }
  const saved = isNews
    ? own.together(() => own.store.effects.postpone(row.id, own.nowMs() + pause, attempts))
    : Promise.resolve();
  saved
    .catch((failure: unknown) => notSaved(own, row, failure))
    // In no commit of others: what it flags is in memory at once, and the commit may yet fail.
    .then(() => {
      if (cause instanceof NotYet && cause.alarm) own.onAlarm(row, cause.message);
    })
    .catch((failure: unknown) => notSaved(own, row, failure));
}

/**
 * It is no more in its queue, and the swap is flagged. Milliseconds until it is tried all the same; null where that
 * could not be saved, and it is owed as before.
 */
export function park(own: Failing, row: EffectRow, cause: unknown): number | null {
  const reason = reasonOf(cause);
  own.log.error(
    {
      subject: row.subject,
      effect: row.effect.do,
      cause: reason,
      ...(cause instanceof Error && !(cause instanceof PortFailure) ? { stack: cause.stack } : {}),
    },
    'effect parked',
  );
  const restMs = own.pacing.spread(own.parkedMs ?? parkedForMs);
  const isParked = saveQuietly(own, row, () => own.store.effects.park(row.id, reason, own.nowMs() + restMs));
  if (!isParked) return null;
  own.onParked(row, reason);
  return restMs;
}

/** False where it failed: the row is still on disk as it was. */
export function saveQuietly(own: Failing, row: EffectRow, save: () => void): boolean {
  try {
    save();
    return true;
  } catch (cause) {
    notSaved(own, row, cause);
    return false;
  }
}

function notSaved({ log }: Failing, row: EffectRow, cause: unknown): void {
  log.error(
    { subject: row.subject, effect: row.effect.do, cause: String(cause) },
    'the pause of an effect could not be saved',
  );
}

function reasonOf(cause: unknown): string {
  return cutWords(cause instanceof Error ? cause.message : String(cause), mostLooked);
}
