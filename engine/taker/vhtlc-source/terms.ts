import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Unix } from '../../domain/time.ts';
import { move, type Outcome } from '../../swap/machine.ts';
import type { Stray } from '../../swap/halves/extra-coins.ts';
import { cancelOf, type ArkadeLeg, type ArkadeOrderTerms, type Deal, type Leg } from '../terms.ts';

/*
 * A swap that begins with coins of ours at a VHTLC: what its states have in common, whatever is given for them. Every
 * coin that the provider did not take is ours to refund: with its signature when it is out of the swap, alone after the
 * locktime.
 */

export type VhtlcSourceTerms = Pick<ArkadeOrderTerms, 'provider' | 'keyIndex' | 'hash'>;

export interface Dealt<G extends Leg = Leg> {
  readonly deal: Deal<ArkadeLeg, G>;
  /** The last word of the provider: it may only ever lead to asking for a refund. */
  readonly said: SwapStatus;
  /** Every coin that was ever seen at our script. */
  readonly coins: readonly Stray[];
  /** When the first of those that are not spent expires; null where none does, or none was looked at since. */
  readonly expiresAt: Unix | null;
  /** Set once the provider's claim showed the preimage: it has given what was agreed. Other coins may still be ours. */
  readonly proof: { readonly claimTxid: Txid | null } | null;
  /** The owner does not want it any more: nobody is shown where to pay, and nothing is signed for it. */
  readonly cancelled?: true;
}

export type VhtlcSourceProgress<G extends Leg = Leg> =
  /** Nothing came yet; the address is watched until the locktime, for it may be paid late. */
  | ({ readonly at: 'waiting' } & Dealt<G>)
  /** Coins of ours lie there. `notBefore`: a refund failed, and is not tried again before. */
  | ({ readonly at: 'funded'; readonly notBefore: Unix | null; readonly declined: string | null } & Dealt<G>)
  /** The provider is asked to sign the refund of a coin. */
  | ({ readonly at: 'asking'; readonly coin: Outpoint } & Dealt<G>)
  /**
   * `exit`: the coin left the operator, and `refundTxid` is a transaction on the chain. `halted`: the operator called
   * it spent when we came for it.
   */
  | ({
      readonly at: 'refunding';
      readonly coin: Outpoint;
      readonly refundTxid: Txid | null;
      readonly exit?: true;
      readonly halted?: true;
    } & Dealt<G>)
  /** Nothing is owed. `over`: the locktime has passed, and the address is not watched any more. */
  | ({ readonly at: 'done'; readonly refundTxid: Txid | null; readonly over: boolean } & Dealt<G>)
  /** Never funded, and too late to be. */
  | ({ readonly at: 'lapsed' } & Dealt<G>);

/** In these the provider gives nothing any more, or has done so, and owes us its signature on whatever is left. */
export const payerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientrefunded',
  'clientfundedserverrefunded',
  'serverredeemed',
]);

export function dealtOf<G extends Leg>(p: Dealt<G>): Dealt<G> {
  return { deal: p.deal, said: p.said, coins: p.coins, expiresAt: p.expiresAt, proof: p.proof, ...cancelOf(p) };
}

/** Nothing of ours is there yet: what comes all the same is asked back at once. */
export function cancelled<P extends VhtlcSourceProgress & { readonly at: 'waiting' }>(p: P): Outcome<P> {
  return p.coins.length > 0 || p.cancelled === true ? 'stay' : move<P>({ ...p, cancelled: true });
}
