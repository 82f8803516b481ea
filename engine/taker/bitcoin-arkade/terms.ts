import type { Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Unix } from '../../domain/time.ts';
import type { CoinTaking } from '../../swap/halves/bitcoin/taking.ts';
import type { Opening } from '../opening.ts';
import type { Claiming as VhtlcClaiming } from '../vhtlc-target/claiming.ts';
import { cancelOf, type ArkadeLeg, type ArkadeOrderTerms, type BitcoinLeg, type Deal } from '../terms.ts';

/** We pay an HTLC on the Bitcoin chain, and claim a VHTLC with a secret of ours. */
export interface TakeBitcoinArkadeTerms extends ArkadeOrderTerms {
  /** Where the claim pays. */
  readonly targetAddress: string;
}

/** What we pay is claimed by the provider with our secret, and ours again after its locktime. */
export interface BitcoinArkadeDeal extends Deal<BitcoinLeg, ArkadeLeg> {
  /** What is paid later may find the provider without the time to lock: it comes back, after the locktime. */
  readonly payBefore: Unix;
  /** Of our coin before the provider gives anything for it. */
  readonly confirmations: number;
}

/** A coin that was paid to our HTLC, by us or by anybody. */
export interface PaidCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  /** In a block. */
  readonly mined: boolean;
  /** It has as many confirmations as the provider asks for. */
  readonly deep: boolean;
  /** What takes it, as its bytes say: the provider with our secret, or we by the locktime. */
  readonly spend: { readonly txid: Txid; readonly by: 'claim' | 'refund'; readonly mined: boolean } | null;
}

export interface Dealt {
  readonly deal: BitcoinArkadeDeal;
  /** The last word of the provider, for people: no decision hangs on it. */
  readonly said: SwapStatus;
  /** The largest coins that lie or lay at our HTLC. */
  readonly coins: readonly PaidCoin[];
  /**
   * What became of the provider's VHTLC: ours by our claim, or taken back although our secret had left us. Null while
   * neither is so.
   */
  readonly payout: { readonly claimTxid: Txid; readonly coin: Outpoint } | 'lost' | null;
  /** The owner asked for what may have come after the end: the address is watched until then, by the wall. */
  readonly lookUntil: Unix | null;
  /** The owner does not want it any more: nobody is shown where to pay. */
  readonly cancelled?: true;
}

export type Claiming = VhtlcClaiming & Dealt;

export interface Refunding extends Dealt, CoinTaking {
  readonly coin: Outpoint;
}

export type TakeBitcoinArkadeProgress =
  | Opening
  /** Nothing came yet; the address is watched until the locktime, for it may be paid late. */
  | ({ readonly at: 'waiting' } & Dealt)
  /**
   * Coins of ours lie there, and the provider's VHTLC is waited for. `why`: what it locked cannot be claimed safely.
   */
  | ({ readonly at: 'funded'; readonly why: string | null } & Dealt)
  | ({ readonly at: 'claiming' } & Claiming)
  /** `over`: nothing of ours is at the address, and it is not watched any more. */
  | ({ readonly at: 'claimed'; readonly over: boolean } & Dealt)
  /** A coin goes back to us, by the locktime. */
  | ({ readonly at: 'refunding' } & Refunding)
  /** Everything that was paid is ours again. */
  | ({ readonly at: 'done'; readonly over: boolean } & Dealt)
  /** The VHTLC went back to the provider although the secret had left us: what is left at the address is taken back. */
  | ({ readonly at: 'lost'; readonly over: boolean } & Dealt)
  /** Never paid, and too late to be. */
  | ({ readonly at: 'lapsed' } & Dealt);

/** In these the provider locks nothing any more, or has taken it back: our coin comes back at its locktime. */
export const providerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientrefunded',
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
]);

export function dealtOf(p: Dealt): Dealt {
  return { deal: p.deal, said: p.said, coins: p.coins, payout: p.payout, lookUntil: p.lookUntil, ...cancelOf(p) };
}
