import { sameOutpoint } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { confirmationsAt } from '../../../../legs/onchain/depth.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { safeToRefund } from '../../../../legs/safety/refund.ts';
import { isUnread, type SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { leastRefund } from '../../../../legs/onchain/size.ts';
import { largestCoins } from '../../../../swap/halves/bitcoin/largest-coins.ts';
import { sameInOrder } from '../../../../swap/halves/extra-coins.ts';
import type { Event } from '../../../../swap/machine.ts';
import type { Fate } from '../../fund.ts';
import { baseOf, type BitcoinFunding, type Base, type PaidCoin } from './terms.ts';

/**
 * A claim shows the provider's secret; then what is ours to take, and of that what costs its maker nothing, for it
 * waits, behind what is mined.
 */
function rankOf({ height, spend }: SeenHtlcCoin): number {
  if (spend?.by === 'claim' || (spend?.by === 'key' && spend.purpose === 'claim')) return 0;
  return 1 + ((spend?.height ?? null) === null ? 0 : 2) + (height === null ? 1 : 0);
}

/** What the chain shows at our HTLC. A coin that is listed no more is gone: evicted, or reorganised away. */
export function paidCoins({ deal }: Base, { coins, height: tip }: Event & { is: 'htlc.seen' }): PaidCoin[] {
  const { confirmations } = deal.source;
  return largestCoins(coins, rankOf).map(({ outpoint, amount, height, spend }) => ({
    outpoint,
    amount,
    mined: height !== null,
    deep: height !== null && confirmationsAt(height, tip) >= confirmations,
    spend: spendAs(spend),
  }));
}

/** By the key of both it is what we noted it to be before it was signed; anything else says nothing. */
function spendAs(spend: SeenHtlcCoin['spend']): PaidCoin['spend'] {
  if (spend === null) return null;
  const { txid, height } = spend;
  if (spend.by === 'key' && spend.purpose !== null) return { txid, by: spend.purpose, mined: height !== null };
  return isUnread(spend) ? null : { txid, by: spend.by, mined: height !== null };
}

export function sameCoins(a: readonly PaidCoin[], b: readonly PaidCoin[]): boolean {
  return sameInOrder(
    a,
    b,
    (one, other) =>
      sameOutpoint(one.outpoint, other.outpoint) &&
      one.mined === other.mined &&
      one.deep === other.deep &&
      one.spend?.txid === other.spend?.txid &&
      one.spend?.mined === other.spend?.mined,
  );
}

/** Its HTLC has a key of both, and the provider claims it. */
export function isTogether({ deal }: Base): boolean {
  const { htlc } = deal.source;
  return htlc.form === 'musig' && htlc.provider === 'claimer';
}

/**
 * What is looked at by its name. The coin that we signed for is, listed or not: until it is seen its amount is the one
 * that was agreed.
 */
export function namedCoins({ coins, cosign, deal }: Base): readonly Pick<PaidCoin, 'outpoint' | 'amount'>[] {
  const listed = coins.map(({ outpoint, amount }) => ({ outpoint, amount }));
  const isListed = cosign === undefined || listed.some(({ outpoint }) => sameOutpoint(outpoint, cosign));
  return isListed ? listed : [{ outpoint: cosign, amount: deal.source.amount }, ...listed];
}

/** The provider takes a coin with the secret, or has our signature for that. */
export function isTaken(p: Base): boolean {
  return p.cosign !== undefined || hasClaim(p);
}

function hasClaim({ coins }: Base): boolean {
  return coins.some(({ spend }) => spend?.by === 'claim');
}

/** As every node of the chain judges it. */
export function lockOpen({ deal }: Base, now: Clocks): boolean {
  return safeToRefund({ refundLocktime: locktimeOf(deal.source.htlc) }, now) === null;
}

/**
 * The coin that is the provider's once what it locked is ours, while it has taken none: nobody may have both legs. The
 * one that we signed for is, whatever else becomes of the swap.
 */
function owedToProvider(p: Base, fate: Fate): PaidCoin | null {
  const { coins, cosign } = p;
  const signedFor = cosign && coins.find(({ outpoint }) => sameOutpoint(outpoint, cosign));
  return signedFor ?? (fate !== 'ours' || hasClaim(p) ? null : priceOf(p));
}

/**
 * The provider takes the coin of exactly the amount before a larger one, and the older before the newer; what lies
 * beside it is ours.
 */
export function priceOf(p: Base): PaidCoin | null {
  const { amount: agreed } = p.deal.source;
  const enough = p.coins.filter(({ amount }) => amount >= agreed);
  return enough.find(({ amount }) => amount === agreed) ?? enough.at(-1) ?? null;
}

/** What lies at the address and is not the provider's. */
export function ourCoins(p: Base, fate: Fate): readonly PaidCoin[] {
  const theirs = owedToProvider(p, fate);
  return p.coins.filter((coin) => isOurs(coin, theirs));
}

/** Mined, worth its fee, and not the provider's: what the locktime gives back to us. The largest first. */
export function refundable(p: Base, fate: Fate): PaidCoin | null {
  return ourCoins(p, fate).find(({ mined }) => mined) ?? null;
}

/** Something at the address is ours to take back, now or once it is mined. */
export function hasOurs(p: Base, fate: Fate): boolean {
  return ourCoins(p, fate).length > 0;
}

/** A refund that waits in a mempool may be one that this database has forgotten: nobody else would raise its fee. */
function isOurs(coin: PaidCoin, theirs: PaidCoin | null): boolean {
  const { spend } = coin;
  const open = spend === null || (spend.by === 'refund' && !spend.mined);
  return open && coin.amount >= leastRefund && coin !== theirs;
}

/** The stage in which it waits, by what lies at the address and what became of the provider's side. */
export function rest(p: Base, fate: Fate): BitcoinFunding {
  const next = baseOf(p);
  if (fate === 'lost') return { at: 'lost', over: false, ...next };
  if (fate === 'ours') return { at: 'claimed', over: false, ...next };
  // Taken with our secret before what it was given for is ours: that is waited for, whatever else came back.
  if (hasOurs(p, fate) || isTaken(p)) return { at: 'funded', ...next };
  return p.coins.some(({ spend }) => spend?.by === 'refund')
    ? { at: 'done', over: false, ...next }
    : { at: 'waiting', ...next };
}
