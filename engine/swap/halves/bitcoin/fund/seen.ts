import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { Preimage } from '../../../../domain/hash.ts';
import { buried } from '../../../../legs/onchain/depth.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import type { Event, LedgerLine, Watch, EventOf } from '../../../machine.ts';
import { feePaid } from '../../../ledger.ts';
import { forgottenCoin } from '../../forgotten-coin.ts';
import type { ForgottenAmount } from '../../fund.ts';
import type { OnchainTargetTerms as T, Placed, Redeem } from './terms.ts';

type Look = EventOf<'htlc.seen'>;

/**
 * What is looked at: the coin by its name as well, for a spent one is listed nowhere. One without a name, which a copy
 * of the database forgot, may be spent since: it is found by what paid the script `also before` (facts/faults.md 136).
 */
export function htlcWatch(t: T, placed: Placed | null, when: 'now' | 'also before' = 'now'): Watch {
  const coins = placed === null ? [] : [{ outpoint: placed.output, amount: t.targetAmount }];
  const { targetAmount: amount } = t;
  const agreed = { least: amount, most: amount };
  const past = placed === null && when === 'also before' ? ({ past: true } as const) : {};
  return { on: 'htlc', terms: t.htlc, script: t.htlcScript, since: t.htlcSince, agreed, coins, ...past };
}

/**
 * Our coin as the chain shows it. What anybody else pays to the script is not ours, and opens nothing (facts/faults.md
 * 46).
 */
export function ownCoin({ output }: Placed, { coins }: Look): SeenHtlcCoin | null {
  return coins.find(({ outpoint }) => sameOutpoint(outpoint, output)) ?? null;
}

/**
 * A coin of exactly the amount, whoever paid it: nobody funds the script a second time while one is there
 * (facts/faults.md 5). Where it may hold `any amount`, a mined one.
 */
export function sameCoin(t: T, { coins }: Look, holds: ForgottenAmount = 'as agreed'): SeenHtlcCoin | null {
  const isClaimed = (coin: SeenHtlcCoin): boolean => claimOf(t, coin) !== null;
  const mined = coins.filter(({ height }) => height !== null);
  return forgottenCoin(t, mined, holds, isClaimed) ?? forgottenCoin(t, coins, 'as agreed', isClaimed);
}

/** The client's claim of it, in a block or in a mempool; its secret is checked once more. */
export function claimOf(
  { htlc }: T,
  { spend }: SeenHtlcCoin,
): { readonly preimage: Preimage; readonly redeem: Redeem; readonly height: number | null } | null {
  if (spend?.by !== 'claim') return null;
  const preimage = preimageMatches(htlc.hash, spend.preimage);
  const { txid, bytes, height } = spend;
  return preimage === null ? null : { preimage, redeem: { txid, bytes }, height };
}

/** What takes it by our partial signature, as the chain shows it: whole, so that it can be sent again. */
export function jointClaimOf({ spend }: SeenHtlcCoin): Redeem | null {
  return spend?.by === 'key' && spend.purpose === 'claim' ? { txid: spend.txid, bytes: spend.bytes } : null;
}

/** Which spend of it is there for good. */
export function endOfCoin({ spend }: SeenHtlcCoin, { height }: Look): 'claimed' | 'refunded' | null {
  if (spend === null || spend.by === 'unknown' || !buried(spend.height, height)) return null;
  // By the key of both it is never ours: we sign for no refund of our own.
  return spend.by === 'refund' ? 'refunded' : 'claimed';
}

/** How the funding ended: it is buried, or its coins were spent elsewhere, or no node takes it. */
type FundingEnd =
  | { readonly is: 'buried'; readonly ledger: readonly LedgerLine[] }
  | { readonly is: 'spent' | 'refused' | 'late'; readonly reason: string };

/** Null for what is not about the funding. */
export function fundingEnd({ funding, buried: isBuried }: Placed, event: Event): FundingEnd | null {
  if (event.is !== 'onchain.final' && event.is !== 'onchain.refused') return null;
  if (funding === null || isBuried || event.txid !== funding.payment.txid) return null;
  if (event.is === 'onchain.refused') return { is: event.why, reason: event.reason };
  return { is: 'buried', ledger: [feePaid(event)] };
}
