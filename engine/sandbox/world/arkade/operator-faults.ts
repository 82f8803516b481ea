import type { batchHub } from './batch-events.ts';
import type { BatchBook } from './batches.ts';
import type { Coin } from './coins.ts';
import { badRequest } from './errors.ts';
import type { openFaultBook } from './faults.ts';
import type { OperatorState } from './state.ts';
import { unroll } from './unroll.ts';

export interface OperatorFaults {
  /** The coin becomes recoverable at once. */
  expire(key: string): void;
  /** The coin is taken to the chain, and with it the other outputs of its transaction. */
  unroll(key: string): void;
  /**
   * The operator lies: a coin is spent, it says, by a transaction that has nothing to do with it; null takes that back.
   */
  callSpent(key: string, arkTxid: string | null): void;
  /** The same of the chain: it calls a coin one that lies there, which was never brought; false takes that back. */
  callUnrolled(key: string, unrolled: boolean): void;
  /** The next submission is accepted, its answer lost. */
  loseNextSubmit(): void;
  dropNextEvent(): void;
  /** The next round runs out of time as soon as its tree is to be signed. */
  endNextRound(): void;
  away(): void;
  back(): void;
  readonly isAway: boolean;
}

/** What the owner of the sandbox has the operator do wrong. */
export function faultsOf({
  state,
  batches,
  hub,
  book,
}: {
  readonly state: OperatorState;
  readonly batches: BatchBook;
  readonly hub: ReturnType<typeof batchHub>;
  readonly book: ReturnType<typeof openFaultBook>;
}): OperatorFaults {
  return {
    expire(key) {
      const { expiresAt } = coin(state, key);
      state.coins.change(key, { expiresAt: Math.min(expiresAt, state.clock.now() - 1) });
    },
    unroll: (key) => unroll(state, batches, key),
    callSpent: (key, arkTxid) =>
      void state.coins.change(key, { spent: arkTxid !== null, arkTxid: arkTxid ?? '', spentBy: arkTxid ?? '' }),
    callUnrolled: (key, unrolled) => void state.coins.change(key, { unrolled }),
    loseNextSubmit: () => book.set('loseNext', true),
    dropNextEvent: () => book.set('dropNext', true),
    endNextRound: () => book.set('endRound', true),
    away() {
      book.set('away', true);
      state.scripts.clear();
      hub.clear();
    },
    back: () => book.set('away', false),
    get isAway() {
      return book.get('away');
    },
  };
}

function coin(state: OperatorState, key: string): Coin {
  const entry = state.coins.get(key);
  if (entry === undefined) throw badRequest(`no coin ${key} on this operator`);
  return entry;
}
