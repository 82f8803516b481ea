import type { SwapStatus } from '../../domain/status.ts';
import { hasPassed, hour, type Unix } from '../../domain/time.ts';
import type { ServiceContext } from '../context.ts';

/** Of swaps that ended with a coin that is its client's to take back, alone and whenever it likes. */
const refundOwed: ReadonlySet<SwapStatus> = new Set([
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientfundedserverrefunded',
]);

/** Looks that may be under way at once: whoever reads a thousand swaps gets no more of the networks' time. */
const mostAtOnce = 4;
/** Swaps that are kept in mind for the hour; beyond them nothing is looked for until it is over. */
const mostKept = 10_000;

/**
 * A refund that comes after the watch over a swap ended shows in no event. It is looked for when somebody reads the
 * swap, in the background, and for one swap at most once an hour however often and by whomever it is read: reading is
 * free to strangers.
 */
export function createLateRefunds({ runtime }: Pick<ServiceContext, 'runtime'>) {
  const askedAt = new Map<string, number>();
  let under = 0;

  function forgetOld(now: Unix): void {
    for (const [id, at] of askedAt) {
      if (!hasPassed(hour, at, now)) return;
      askedAt.delete(id);
    }
  }

  return function wasRead(id: string, status: SwapStatus): void {
    if (!refundOwed.has(status) || under >= mostAtOnce) return;
    const now = runtime.clock.now().wall;
    forgetOld(now);
    if (askedAt.has(id) || askedAt.size >= mostKept) return;
    askedAt.set(id, now);
    under += 1;
    runtime.background('looking for a late refund', () => runtime.lookLate(id).finally(() => (under -= 1)));
  };
}

export type WasRead = ReturnType<typeof createLateRefunds>;
