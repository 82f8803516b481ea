import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Unix } from '../../domain/time.ts';
import type { Stray } from '../../swap/source.ts';
import type { RefusalReason } from '../../domain/taker.ts';
import type { ArkadeLeg, ArkadeOrderTerms, Deal, LightningLeg } from '../terms.ts';

/** We fund a VHTLC, and the provider pays an invoice. */
export interface TakeArkadeLightningTerms extends ArkadeOrderTerms {
  readonly bolt11: string;
  readonly invoiceExpiresAt: Unix;
}

export interface Dealt {
  readonly deal: Deal<ArkadeLeg, LightningLeg>;
  /** The last word of the provider: it may only ever lead to asking for a refund. */
  readonly said: SwapStatus;
  /** Every coin that was ever seen at our script. */
  readonly coins: readonly Stray[];
  /** When the first of those that are not spent expires; null where none does, or none was looked at since. */
  readonly expiresAt: Unix | null;
  /** Set once the provider's claim showed the preimage: the invoice is paid. Other coins may still be ours. */
  readonly proof: { readonly claimTxid: Txid | null } | null;
}

export type TakeArkadeLightningProgress =
  | { readonly at: 'creating' }
  | { readonly at: 'refused'; readonly reason: RefusalReason; readonly detail: string | null }
  /** Nothing came yet; the address is watched until the locktime, for it may be paid late. */
  | ({ readonly at: 'waiting' } & Dealt)
  /** Coins of ours lie there. `notBefore`: a refund failed, and is not tried again before. */
  | ({ readonly at: 'funded'; readonly notBefore: Unix | null; readonly declined: string | null } & Dealt)
  /** The provider is asked to sign the refund of a coin. */
  | ({ readonly at: 'asking'; readonly coin: Outpoint } & Dealt)
  /** `exit`: the coin left the operator, and `refundTxid` is a transaction on the chain. */
  | ({
      readonly at: 'refunding';
      readonly coin: Outpoint;
      readonly refundTxid: Txid | null;
      readonly exit?: true;
    } & Dealt)
  /** Nothing is owed. `over`: the locktime has passed, and the address is not watched any more. */
  | ({ readonly at: 'done'; readonly refundTxid: Txid | null; readonly over: boolean } & Dealt)
  /** Never funded, and too late to be. */
  | ({ readonly at: 'lapsed' } & Dealt);

/** In these the provider will not pay any more, or has done so, and owes us its signature on whatever is left. */
export const payerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientrefunded',
  'serverredeemed',
]);

export function dealtOf(p: Dealt): Dealt {
  return { deal: p.deal, said: p.said, coins: p.coins, expiresAt: p.expiresAt, proof: p.proof };
}
