import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { unix, type Unix } from '../../domain/time.ts';
import type { EvmLeg, EvmOrderTerms } from '../evm/terms.ts';
import { cancelOf, type Deal, type Leg, type OrderTerms } from '../terms.ts';

/*
 * A swap that begins with tokens of our account, locked on an EVM chain by our signature: what its states have in
 * common, whatever is given for them. What the provider does not take comes back: with its signature when it is out of
 * the swap, alone from the timelock on.
 */

export type EvmSourceTerms = EvmOrderTerms & Pick<OrderTerms, 'provider' | 'hash' | 'keyIndex' | 'restored'>;

/** What is given for the tokens, in sats: it bounds what saving them may cost. */
export type SatsLeg = Leg & { readonly amount: Sats };

export interface Dealt<G extends SatsLeg = SatsLeg> {
  readonly deal: Deal<EvmLeg, G>;
  /** The last word of the provider: it may only ever lead to asking for a refund. */
  readonly said: SwapStatus;
  /**
   * Our lock as the chain has it: it holds what the coordinator held, which whoever sent it a coin made more than was
   * agreed.
   */
  readonly made: { readonly txid: Txid; readonly amount: bigint } | null;
  /**
   * Until then, by the chain's clock, our tokens may be locked by a signature that we gave; null while none was given.
   */
  readonly signedUntil: Unix | null;
  /** The owner does not want it any more: nobody is shown where to pay, and nothing is signed for it. */
  readonly cancelled?: true;
}

/** `notBefore`: something did not work for this reason, and is not tried again before. */
interface Pausing {
  readonly notBefore: Unix | null;
  readonly declined: string | null;
}

/** Both by the wall: nothing is signed from `pay` on, and from `over` on nobody needs a lock of ours any more. */
export interface Window {
  readonly pay: Unix;
  readonly over: Unix;
}

export type EvmSourceProgress<G extends SatsLeg = SatsLeg> =
  /** Our account does not hold the tokens yet. */
  | ({ readonly at: 'waiting' } & Pausing & Dealt<G>)
  /** Our signature was given. */
  | ({
      readonly at: 'funding';
      readonly by: 'provider' | 'node';
      readonly signedUntil: Unix;
      readonly sent: Txid | null;
    } & Dealt<G>)
  /** Our lock stands. */
  | ({ readonly at: 'locked' } & Pausing & Dealt<G>)
  /** The provider is asked to give it back before its timelock. */
  | ({ readonly at: 'asking' } & Dealt<G>)
  /** From the timelock on nobody is needed. */
  | ({ readonly at: 'refunding'; readonly sent: Txid | null } & Dealt<G>)
  | ({ readonly at: 'refunded'; readonly refundTxid: Txid } & Dealt<G>)
  /** Never locked, and too late to be. */
  | ({ readonly at: 'lapsed' } & Dealt<G>);

export function dealtOf<G extends SatsLeg>(p: Dealt<G>): Dealt<G> {
  return { deal: p.deal, said: p.said, made: p.made, signedUntil: p.signedUntil, ...cancelOf(p) };
}

/** From then on, by the chain's clock, the lock is ours again without anybody. */
export function timelockOf({ deal }: Dealt): Unix {
  return unix(Number(deal.source.lock.timelock));
}

/** The first state once there is a deal. */
export function awaiting<G extends SatsLeg>(deal: Deal<EvmLeg, G>): EvmSourceProgress<G> & { readonly at: 'waiting' } {
  return { at: 'waiting', deal, said: 'pending', made: null, signedUntil: null, notBefore: null, declined: null };
}
