import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Unix } from '../../domain/time.ts';
import type { Vtxo } from './vtxo.ts';

/** What coins were handed to a batch for: one new coin of so many sats at a script of ours. */
export interface BatchPayout {
  readonly script: Uint8Array;
  readonly amount: Sats;
  /** When it was made at the latest, where that is all that tells it from another's. */
  readonly until?: Unix;
}

/** A coin that is due for renewal, and what the operator takes for it, without its part of what the new coin costs. */
export interface DueCoin {
  readonly coin: Vtxo;
  readonly fee: Sats;
}

/** With those before it: each of them may have been what a batch took the coins for. */
export function withPayout(before: readonly BatchPayout[], payout: BatchPayout): readonly BatchPayout[] {
  const isIt = ({ script, amount }: BatchPayout): boolean =>
    amount === payout.amount && sameBytes(script, payout.script);
  return before.some(isIt) ? before : [...before, payout];
}

/** What the operator asks for a batch of ours, read a moment ago. */
export interface BatchOffer {
  /** Those that expire first at the front. */
  readonly due: readonly DueCoin[];
  /** Most coins that one batch takes. */
  readonly limit: number;
  /** For these coins into one new coin, all in all. */
  fee(coins: readonly Vtxo[]): Sats;
}
