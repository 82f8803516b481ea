import type { Network } from '../domain/chain.ts';
import type { Outlay } from '../store/outlays.ts';
import type { Store } from '../store/store.ts';

/**
 * What is spent for swaps of clients before any fee of theirs, and what stops when a day's part of it is used up: new
 * locks and relays, never a claim nor the refund of what we locked (facts/faults.md 67).
 */
export interface UnpaidCosts {
  /** To be awaited before `full`: finds out who pays, where that decides. */
  ready(swap: string, network: Network): Promise<void>;
  /**
   * Why nothing more is begun for the swap today, or null. Judged in the very turn that saves what is begun, else two
   * would take the same room.
   */
  full(swap: string, network: Network): string | null;
  /** To be saved in the commit of the transaction; says nothing of what is no client's swap. */
  note(outlay: Outlay, store: Pick<Store, 'outlays'>, now: number): void;
}

/** For whoever has no clients. */
export const noUnpaidCosts: UnpaidCosts = {
  ready: async () => undefined,
  full: () => null,
  note: () => undefined,
};
