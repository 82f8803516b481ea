import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import type { SavedSend } from '../../legs/onchain/wallet-port.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type { CoinTaking } from '../onchain-taking.ts';

/**
 * The half of a swap that ends with an HTLC on the Bitcoin chain which we fund and the client claims: what its terms and states
 * have in common, whatever the client gave for it.
 */
export interface OnchainTargetTerms {
  /** What the HTLC holds: exactly this. */
  readonly targetAmount: Sats;
  /** The client claims it, we refund it. */
  readonly htlc: HtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
  /** Of our key in it. */
  readonly keyIndex: number;
  /** Most that the funding may cost, and as much again each time that it has to be pushed. */
  readonly mostFee: Sats;
  /** Height of the Bitcoin chain when the swap was made: nothing was paid to the script before. */
  readonly htlcSince: number;
  /** Nothing is funded after this moment of median time past. */
  readonly lockBefore: Unix;
  readonly policy: TimeoutPolicy;
}

/** A funding that is signed and saved. It never signals replacement and is never replaced: clients claim it unconfirmed (facts/onchain.md 4). */
export interface Funding {
  readonly payment: SavedSend;
  /** Of the tip when it was signed. */
  readonly height: number;
}

/** Our coin at the HTLC, on its way or there. */
export interface Placed {
  readonly output: Outpoint;
  /** Null where the coin was there before this database knew of any. */
  readonly funding: Funding | null;
  /** The funding is buried. */
  readonly buried: boolean;
}

/** The client's claim of our coin, as it was seen; its bytes are sent again for as long as no spend of the coin is buried. */
export interface Redeem {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
}

export interface Refunding extends Placed, CoinTaking {
  readonly at: 'refunding';
  /** The client's claim showed beside our signed refund: one of them is mined, and what that is decides. */
  readonly redeem?: Redeem;
}

/** What has the coin for good: `void` says that it never was, for what paid it was spent elsewhere. */
export type CoinEnd = 'claimed' | 'refunded' | 'void';

/** The client's claim was believed: our coin is never refunded any more. */
export interface Revealed extends Placed {
  readonly redeem: Redeem;
  /** Refunds of ours that were signed before, the newest last: one may still be mined. */
  readonly spends: readonly Txid[];
  /** Null while no spend of the coin is buried. */
  readonly end: CoinEnd | null;
}

export function placedOf({ output, funding, buried }: Placed): Placed {
  return { output, funding, buried };
}

export function revealedOf({ redeem, spends, end, ...placed }: Revealed): Revealed {
  return { ...placedOf(placed), redeem, spends, end };
}

/** Nothing of it can change any more, nor is anything owed to the ledger. */
export function isSettled({ end, funding, buried }: Revealed): boolean {
  return end === 'void' || (end !== null && (funding === null || buried));
}
