import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { after, seconds, unix, type Unix } from '../../domain/time.ts';
import type { CoinTaking } from '../../swap/halves/bitcoin/taking.ts';
import type { EvmOrderTerms } from '../evm/terms.ts';
import type { Dealt, EvmSourceProgress, Window } from '../evm-source/terms.ts';
import type { Opening } from '../opening.ts';
import type { BitcoinLeg, OrderTerms } from '../terms.ts';
import { leastTimeToPay } from '../verify.ts';

/**
 * Tokens of ours are locked on an EVM chain, the provider pays an HTLC on the Bitcoin chain, and we claim it with a
 * secret of ours.
 */
export interface TakeEvmBitcoinTerms extends OrderTerms, EvmOrderTerms {
  /** Most that is locked, in smallest units of the token. */
  readonly sourceAmount: bigint;
  /** Exactly this is paid to the HTLC; its claim pays its own fee out of it. */
  readonly targetAmount: Sats;
}

/** A coin of the provider's at the HTLC. */
export interface PayoutCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
}

/** What is known of the provider's side, beside our lock. */
export interface Payout {
  /** Its coin that we claim, or would; null while there is none. */
  readonly coin: PayoutCoin | null;
  /** Why that is not claimed. */
  readonly unsafe: string | null;
  /** The provider sends the refund that we signed: its coin is never claimed any more. */
  readonly relayed: boolean;
  /** The provider took our lock with our secret, by this transaction. */
  readonly takenBy: Txid | null;
  /** The provider took its coin back, for good, although our secret may have left us. */
  readonly takenBack: boolean;
  /** Our claim, once it is buried. */
  readonly claimTxid: Txid | null;
}

export type Base = Dealt<BitcoinLeg> & Payout;

/**
 * Our secret leaves us with the claim: from then on nothing but the end of the coin stops it. `shown`: it has surely
 * left us. What made the coin is kept from before that.
 */
export interface Claiming extends Base, CoinTaking {
  readonly coin: PayoutCoin;
  readonly shown: boolean;
}

export type TakeEvmBitcoinProgress =
  | Opening
  | (EvmSourceProgress<BitcoinLeg> & Payout)
  | ({ readonly at: 'claiming' } & Claiming)
  /** The bitcoin is ours for good. The provider has yet to take our lock, or has. */
  | ({ readonly at: 'claimed' } & Base)
  /** The provider has both legs: it owes us the swap. */
  | ({ readonly at: 'lost' } & Base);

export const nothingPaidOut: Payout = {
  coin: null,
  unsafe: null,
  relayed: false,
  takenBy: null,
  takenBack: false,
  claimTxid: null,
};

export function payoutOf({ coin, unsafe, relayed, takenBy, takenBack, claimTxid }: Payout): Payout {
  return { coin, unsafe, relayed, takenBy, takenBack, claimTxid };
}

/**
 * The coin is never claimed any more: the provider has it back, or sends our refund, unless it took our lock with the
 * secret after all.
 */
export function isLeft({ relayed, takenBack, takenBy }: Payout): boolean {
  return takenBack || (relayed && takenBy === null);
}

/** Within the window that the provider counts from its own create, for which its answer came in time. */
export function windowOf({ createBefore, policy }: TakeEvmBitcoinTerms): Window {
  const pay: Unix = unix(createBefore + policy.fundingWindow - leastTimeToPay);
  return { pay, over: after(pay, seconds(leastTimeToPay)) };
}
