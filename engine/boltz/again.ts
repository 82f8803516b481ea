import { setImmediate as turn } from 'node:timers/promises';
import type { DoorSwap } from './swap.ts';
import { wordOf, type Word } from './words.ts';

/*
 * What clients are told of a swap moves by what is written of it, and by blocks and the clock alone: who tells them
 * looks again for that.
 */

/** Milliseconds after which it is looked at again. */
const againAfter = 30_000;
/** What is written of a swap says these, and no clock moves them: only what is written next leads out of them. */
export const lastWords: ReadonlySet<Word> = new Set<Word>([
  'swap.expired',
  'invoice.failedToPay',
  'invoice.settled',
  'transaction.claimed',
  'transaction.failed',
  'transaction.refunded',
]);

/** Whether neither clock nor blocks move what is told of it. */
export function isTold({ pair, entry }: DoorSwap): boolean {
  return lastWords.has(wordOf(pair, entry.row.status));
}

/** In one go thousands would hold up all else (facts/faults.md 178). */
export async function oneATurn(ids: readonly string[], act: (id: string) => void): Promise<void> {
  for (const id of ids) {
    await turn();
    act(id);
  }
}

/** Acts every half minute, unless the last time is not over; what it answers is called when `isOn` may have changed. */
export function createAgain(
  isOn: () => boolean,
  run: (act: () => Promise<void>) => void,
  act: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isActing = false;

  async function once(): Promise<void> {
    if (isActing) return;
    isActing = true;
    try {
      await act();
    } finally {
      isActing = false;
    }
  }

  return () => {
    if (isOn() && timer === null) {
      timer = setInterval(() => run(once), againAfter);
      timer.unref();
    } else if (!isOn() && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}
