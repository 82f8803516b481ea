import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { ReasonCode } from '../../domain/taker.ts';
import type { Opening } from '../opening.ts';
import type { ArkadeLeg, ArkadeOrderTerms, Deal, LightningLeg } from '../terms.ts';

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
}

export interface Claiming extends Dealt {
  readonly coin: Outpoint;
  readonly claimTxid: Txid | null;
  /** The coin left the operator, and `claimTxid` is a transaction on the chain. */
  readonly exit?: true;
}

export type TakeLightningArkadeProgress =
  | Opening
  | ({ readonly at: 'waiting'; readonly why: string | null } & Dealt)
  /** `halted`: the operator refused the claim; the next look at the coin tries again. */
  | ({ readonly at: 'claiming'; readonly halted: boolean } & Claiming)
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

export function dealtOf(p: Dealt): Dealt {
  return { deal: p.deal, said: p.said };
}
