import type { Preimage } from '../../../../domain/hash.ts';
import { sameOutpoint, type Txid } from '../../../../domain/outpoint.ts';
import { unix, type Clocks, type Unix } from '../../../../domain/time.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { isHalfRefunded } from '../../../../legs/arkade/spend.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import { stands } from '../../../../swap/halves/arkade/exit.ts';
import { move, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import {
  hasUnspent,
  isGone,
  leafOf,
  sameExtras,
  coinsBeside,
  type ExtraCoin,
} from '../../../../swap/halves/extra-coins.ts';
import { whenCoinSeen } from '../../../../swap/halves/arkade/taking.ts';
import { frameOf } from '../../fund.ts';
import { coinDenied, halfRefunded, nothingOwedOr, refundOf, type Refunding } from './taking.ts';
import { fundedAs, type ArkadeFunding, type ArkadeFundTerms, type Base } from './terms.ts';

type T = ArkadeFundTerms;
type P = ArkadeFunding;

/**
 * The coins at our script decide, whatever anybody says. `isAwaited`: what the provider locked is still to be claimed.
 */
export function whenCoinsSeen(
  t: T,
  p: P,
  event: Event & { is: 'vhtlc.seen' },
  now: Clocks,
  isAwaited: boolean,
): Outcome<P> {
  if (event.coins.length === 0) return 'stay';
  const claim = p.proof === null ? claimIn(t, event.coins) : null;
  const untaken = claim === null && p.proof === null ? p.untaken : undefined;
  const isTheirs = ({ outpoint }: SeenCoin): boolean => untaken !== undefined && sameOutpoint(outpoint, untaken);
  const ours = event.coins.map((coin) => ({ ...coin, spent: isTheirs(coin) || isOver(t, p, coin) }));
  const next: Base = {
    ...frameOf(p),
    ...(untaken === undefined ? {} : { untaken }),
    coins: coinsBeside(ours, null, p.coins).map((coin) => withDenied(t, p, coin, event.coins)),
    expiresAt: firstExpiry(ours),
    proof: claim === null ? p.proof : { claimTxid: claim.txid },
  };
  const learned = claim === null ? {} : { learned: claim.preimage };
  const changed = claim !== null || !sameExtras(next.coins, p.coins) || next.expiresAt !== p.expiresAt;
  const flag = alarmOf(t, p, event.coins, changed);
  const stays = (): Outcome<P> => {
    if (changed) return { progress: { ...p, ...next }, effects: [], ...learned, ...flag };
    return 'flag' in flag ? { progress: p, effects: [], ...flag } : 'stay';
  };
  if (p.at === 'asking' || p.at === 'refunding') {
    const taker = takenFromUs(t, p, event.coins, now);
    // What was on its way for a coin that is gone is not wanted any more.
    if (taker !== null)
      return { progress: nothingOwedOr(next, taker.spentIn, isAwaited), effects: [], supersedes: true, ...learned };
    const step =
      p.at === 'refunding' ? refundSeen(t, changed ? { ...p, ...next } : p, event.coins, now, isAwaited) : null;
    return step === null ? stays() : { ...flag, ...step, ...learned };
  }
  if (hasUnspent(next.coins))
    return p.at === 'funded' ? stays() : { progress: fundedAs(next), effects: [], ...learned, ...flag };
  const isBack = p.at === 'done' && !(isAwaited && claim !== null);
  if (isBack || !event.coins.every((coin) => explained(t, coin))) return stays();
  const left = nothingOwedOr(next, event.coins[0]?.spentIn ?? null, isAwaited);
  return left.at === p.at ? stays() : { progress: left, effects: [], ...learned };
}

/** The coin that we take back. What the provider claims with the preimage is its own, wherever it lies. */
function refundSeen(t: T, p: Refunding, coins: readonly SeenCoin[], now: Clocks, isAwaited: boolean): Step<P> | null {
  const coin = coins.find((one) => sameOutpoint(one.outpoint, p.coin));
  // Another one is to be had at once: this one is come back to.
  const waits = p.halted === true && p.exit !== true && coin?.spent === true && !coin.unrolled;
  if (
    waits &&
    p.coins.some(({ spent, denied, outpoint }) => !spent && denied !== true && !sameOutpoint(outpoint, p.coin))
  )
    return move<P>(fundedAs(p));
  // Of dust that was begun with before anything else was there nothing may ever come.
  const mayNeverEnd = p.refundTxid === null && p.exit !== true && coin?.spent !== true;
  if (mayNeverEnd && isSmall(p))
    return {
      ...move<P>(fundedAs(p)),
      supersedes: true,
    };
  return coin === undefined || claimIn(t, [coin]) !== null
    ? null
    : whenCoinSeen(refundOf(t, now, isAwaited), p, coin, now);
}

/** Another coin is larger, and nothing speaks against that one. */
function isSmall({ coins, coin }: Pick<Refunding, 'coins' | 'coin'>): boolean {
  const amount = coins.find(({ outpoint }) => sameOutpoint(outpoint, coin))?.amount ?? 0n;
  return coins.some((one) => !one.spent && one.denied !== true && one.amount > amount);
}

function withDenied(t: T, p: Base, coin: ExtraCoin, seen: readonly SeenCoin[]): ExtraCoin {
  const isIt = ({ outpoint }: Pick<ExtraCoin, 'outpoint'>): boolean => sameOutpoint(outpoint, coin.outpoint);
  const now = seen.find(isIt);
  const isDenied = now === undefined ? isDeniedIn(p, coin) : isDoubtful(t, now) || isHalfRefunded(now);
  return isDenied && !coin.spent ? { ...coin, denied: true } : coin;
}

function isDeniedIn({ coins }: Pick<Base, 'coins'>, { outpoint }: Pick<ExtraCoin, 'outpoint'>): boolean {
  return coins.some((one) => one.denied === true && sameOutpoint(one.outpoint, outpoint));
}

/** As for a provider, and a claim only with the preimage that proves what it gave. */
function isOver(t: T, p: Base, coin: SeenCoin): boolean {
  const isClaimOfNothing = leafOf(coin)?.leaf === 'claim' && !explained(t, coin);
  return isGone(isClaimOfNothing ? { ...coin, spend: 'unknown', settledBy: null } : coin, p.coins);
}

/** A coin on the chain expires never. */
function firstExpiry(coins: readonly SeenCoin[]): Unix | null {
  const dates = coins.filter((coin) => !coin.spent && !coin.unrolled).map(({ expiresAt }) => expiresAt);
  return dates.length === 0 ? null : unix(Math.min(...dates));
}

/** Gone by a leaf, and where that was the claim, with the preimage that proves the payment. */
function explained(t: T, coin: SeenCoin): boolean {
  const spend = leafOf(coin);
  return coin.spent && spend !== null && (spend.leaf !== 'claim' || preimageMatches(t.hash, spend.preimage) !== null);
}

function isDoubtful(t: T, coin: SeenCoin): boolean {
  return coin.spent && coin.spend !== null && !explained(t, coin);
}

/** A denied coin is told of at each look: what brings it to the chain for that begins anew after a restart. */
function alarmOf(t: T, p: P, coins: readonly SeenCoin[], changed: boolean): Pick<Step<unknown>, 'flag' | 'distrust'> {
  if (coins.some((coin) => isDoubtful(t, coin) && !isOver(t, p, coin))) return { flag: coinDenied, distrust: true };
  const own = 'refundTxid' in p ? p.refundTxid : null;
  const isNews = (coin: SeenCoin): boolean =>
    coin.spentIn !== own && !coin.unrolled && !isDeniedIn(p, coin) && !isOver(t, p, coin);
  if (coins.some((coin) => isHalfRefunded(coin) && isNews(coin))) return { flag: halfRefunded };
  return changed && coins.some(({ spent, spend }) => spent && spend === 'hidden')
    ? {
        flag:
          'A coin of ours expired and a batch took it: the operator does not show whether it was the provider or ' +
          'this node.',
      }
    : {};
}

/** The provider's claim, believed for its preimage alone. */
function claimIn(t: T, coins: readonly SeenCoin[]): { preimage: Preimage; txid: Txid | null } | null {
  for (const coin of coins) {
    const spend = leafOf(coin);
    const preimage = spend?.leaf === 'claim' ? preimageMatches(t.hash, spend.preimage) : null;
    if (preimage !== null) return { preimage, txid: coin.spentIn ?? coin.settledBy };
  }
  return null;
}

/** The coin that we want back, when something else than our own refund has taken it. */
function takenFromUs(
  t: T,
  p: P & { at: 'asking' | 'refunding' },
  seen: readonly SeenCoin[],
  now: Clocks,
): SeenCoin | null {
  const coin = seen.find((one) => sameOutpoint(one.outpoint, p.coin));
  if (coin === undefined || !explained(t, coin) || coin.pending === true || !stands(coin, now)) return null;
  const own =
    p.at === 'refunding' &&
    p.refundTxid !== null &&
    (coin.spentIn === p.refundTxid || (p.exit === true && leafOf(coin)?.leaf !== 'claim'));
  return own ? null : coin;
}
