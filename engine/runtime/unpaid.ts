import type { EvmNetwork, Network } from '../domain/chain.ts';
import type { Sats } from '../domain/money.ts';
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
   * Why nothing more is begun for the swap today, or null: its create promised it the room, unless what is begun costs
   * far more than it did then. Judged in the very turn that saves what is begun, else two would take the same room.
   * `cost`: null before it is known.
   */
  full(swap: string, network: Network, cost: Sats | null): string | null;
  /**
   * Why a relay of the swap's claim is not signed for so much, or null: what its own lock counted is its own, and above
   * twice that it finds room for itself. Judged in the very turn that saves it, as a lock is.
   */
  relayFull(swap: string, network: EvmNetwork, cost: Sats | null): string | null;
  /** What the swap's client was charged in all; null for what is no client's swap. */
  charged(swap: string): Sats | null;
  /** Whether the swap's client pays for a relay of its claim, which is to be counted with our lock. */
  paysRelay(swap: string): boolean;
  /** To be saved in the commit of the transaction; says nothing of what is no client's swap. */
  note(outlay: Outlay, store: Pick<Store, 'outlays'>, now: number): void;
}

/** For whoever has no clients. */
export const noUnpaidCosts: UnpaidCosts = {
  ready: async () => undefined,
  full: () => null,
  relayFull: () => null,
  charged: () => null,
  paysRelay: () => false,
  note: () => undefined,
};
