import type { Sats } from '../../domain/money.ts';
import type { Vtxo } from './vtxo.ts';

/** A coin that is due for renewal, and what the operator takes for it, without its part of what the new coin costs. */
export interface DueCoin {
  readonly coin: Vtxo;
  readonly fee: Sats;
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
