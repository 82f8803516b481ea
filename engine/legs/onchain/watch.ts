import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Sats } from '../../domain/money.ts';
import type { HtlcTerms } from './htlc.ts';

/** What a coin of the swap holds, by what was agreed on. */
export interface AgreedAmount {
  readonly least: Sats;
  readonly most: Sats;
}

/** What is looked at on the Bitcoin chain while a swap needs it. */
export interface OnchainWatch {
  /** Coins paid to an HTLC from the height `since` on, the mempool's too, and what takes them. */
  readonly on: 'htlc';
  readonly terms: HtlcTerms;
  readonly script: Uint8Array;
  readonly since: number;
  readonly agreed: AgreedAmount;
  /**
   * Coins of it that were seen before: one that is spent is listed nowhere any more, and its spend is asked for by
   * name.
   */
  readonly coins: readonly { readonly outpoint: Outpoint; readonly amount: Sats }[];
  /** A transaction that may have paid it: a coin that was spent before it was ever listed is found by that alone. */
  readonly paidIn?: Txid;
  /** No payment of it was ever seen: what paid it before, and was spent since, is looked for as well. */
  readonly past?: true;
  /**
   * `later`: nothing is given for what lies there, so that it is looked at after those by which value is lost.
   * `seldom`: nothing came in time either, so that a coin that comes can wait for a look.
   */
  readonly turn?: 'later' | 'seldom';
  /** We made its coins: one whose transaction anybody shows is there, listed or not, mined or not. */
  readonly ours?: true;
}
