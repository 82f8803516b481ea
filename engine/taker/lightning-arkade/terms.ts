import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { ReasonCode } from '../../domain/taker.ts';
import type { Opening } from '../opening.ts';
import type { Claiming as VhtlcClaiming } from '../vhtlc-target/claiming.ts';
import { cancelOf, type ArkadeLeg, type ArkadeOrderTerms, type Deal, type LightningLeg } from '../terms.ts';

/** We pay a hold invoice and claim a VHTLC with a secret of ours. */
export interface TakeLightningArkadeTerms extends ArkadeOrderTerms {
  /** Where the claim pays. */
  readonly targetAddress: string;
  readonly description: string;
}

export type EndReason = Extract<ReasonCode, 'provider-ended' | 'never-locked' | 'lock-unsafe'>;

export interface Dealt {
  readonly deal: Deal<LightningLeg, ArkadeLeg>;
  /** The last word of the provider, for people: no decision that could cost us anything hangs on it. */
  readonly said: SwapStatus;
  /** The owner does not want it any more: nobody is shown where to pay. */
  readonly cancelled?: true;
}

export type Claiming = VhtlcClaiming & Dealt;

export type TakeLightningArkadeProgress =
  | Opening
  | ({ readonly at: 'waiting'; readonly why: string | null } & Dealt)
  | ({ readonly at: 'claiming' } & Claiming)
  | ({ readonly at: 'claimed'; readonly claimTxid: Txid; readonly coin: Outpoint | null } & Dealt)
  /** Over without a claim: the secret never left, the payment goes back. */
  | ({ readonly at: 'ended'; readonly reason: EndReason; readonly detail: string | null } & Dealt)
  /** The VHTLC went back to the provider although the secret had left us. */
  | ({ readonly at: 'lost' } & Dealt);

/** In these the provider will not lock any more. */
export const lockerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'serverwontfund',
  'clientrefunded',
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
]);

/** In these nobody was seen to pay: nothing goes back. */
export const saysUnpaid: ReadonlySet<SwapStatus> = new Set(['pending', 'expired']);

export function dealtOf(p: Dealt): Dealt {
  return { deal: p.deal, said: p.said, ...cancelOf(p) };
}
