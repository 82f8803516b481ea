import type { Preimage } from '../../domain/hash.ts';
import { sameOutpoint, type Txid } from '../../domain/outpoint.ts';
import { unix, type Clocks, type Unix } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { stands } from '../../swap/exit.ts';
import type { Event, Outcome, Step } from '../../swap/machine.ts';
import { leafOf, hasUnspent, sameStrays, straysBeside } from '../../swap/source.ts';
import type { Leg } from '../terms.ts';
import { dealtOf, type Dealt, type VhtlcSourceProgress, type VhtlcSourceTerms } from './terms.ts';

type T = VhtlcSourceTerms;
type P<G extends Leg> = VhtlcSourceProgress<G>;

/** The coins at our script decide, whatever anybody says. */
export function whenCoinsSeen<G extends Leg>(
  t: T,
  p: P<G>,
  event: Event & { is: 'vhtlc.seen' },
  now: Clocks,
): Outcome<P<G>> {
  if (event.coins.length === 0) return 'stay';
  const claim = p.proof === null ? claimIn(t, event.coins) : null;
  const next: Dealt<G> = {
    deal: p.deal,
    said: p.said,
    coins: straysBeside(event.coins, null, p.coins),
    expiresAt: firstExpiry(event.coins),
    proof: claim === null ? p.proof : { claimTxid: claim.txid },
  };
  const learned = claim === null ? {} : { learned: claim.preimage };
  const changed = claim !== null || !sameStrays(next.coins, p.coins) || next.expiresAt !== p.expiresAt;
  const flag = changed ? alarmOf(t, event.coins) : {};
  const stays = (): Outcome<P<G>> =>
    changed ? { progress: { ...p, ...next }, effects: [], ...learned, ...flag } : 'stay';
  if (p.at === 'asking' || p.at === 'refunding') {
    const taker = takenFromUs(t, p, event.coins, now);
    // What was on its way for a coin that is gone is not wanted any more.
    return taker === null
      ? stays()
      : { progress: nothingOwedOr(next, taker.spentIn), effects: [], supersedes: true, ...learned };
  }
  if (hasUnspent(next.coins))
    return p.at === 'funded'
      ? stays()
      : { progress: { at: 'funded', notBefore: null, declined: null, ...next }, effects: [], ...learned };
  if (p.at === 'done' || !event.coins.every((coin) => explained(t, coin))) return stays();
  return { progress: nothingOwedOr(next, event.coins[0]?.spentIn ?? null), effects: [], ...learned };
}

/** A coin on the chain expires never. */
function firstExpiry(coins: readonly SeenCoin[]): Unix | null {
  const dates = coins.filter((coin) => !coin.spent && !coin.unrolled).map(({ expiresAt }) => expiresAt);
  return dates.length === 0 ? null : unix(Math.min(...dates));
}

const unexplained =
  'The operator reports a coin of ours as spent by a transaction that fits none of its leaves: stop using this operator.';

/** Gone by a leaf, and where that was the claim, with the preimage that proves the payment. */
function explained(t: T, coin: SeenCoin): boolean {
  const spend = leafOf(coin);
  return coin.spent && spend !== null && (spend.leaf !== 'claim' || preimageMatches(t.hash, spend.preimage) !== null);
}

function alarmOf(t: T, coins: readonly SeenCoin[]): Pick<Step<unknown>, 'flag' | 'distrust'> {
  const doubtful = coins.filter((coin) => coin.spent && coin.spend !== null && !explained(t, coin));
  if (doubtful.some(({ spend }) => spend !== 'hidden')) return { flag: unexplained, distrust: true };
  return doubtful.length > 0
    ? {
        flag: 'A coin of ours expired and a batch took it: the operator does not show whether it was the provider or this node.',
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
function takenFromUs<G extends Leg>(
  t: T,
  p: P<G> & { at: 'asking' | 'refunding' },
  seen: readonly SeenCoin[],
  now: Clocks,
): SeenCoin | null {
  const coin = seen.find((one) => sameOutpoint(one.outpoint, p.coin));
  if (coin === undefined || !explained(t, coin) || !stands(coin, now)) return null;
  const own =
    p.at === 'refunding' &&
    p.refundTxid !== null &&
    (coin.spentIn === p.refundTxid || (p.exit === true && leafOf(coin)?.leaf !== 'claim'));
  return own ? null : coin;
}

export function nothingOwedOr<G extends Leg>(p: Dealt<G>, refundTxid: Txid | null): P<G> {
  return hasUnspent(p.coins)
    ? { at: 'funded', notBefore: null, declined: null, ...dealtOf(p) }
    : { at: 'done', refundTxid, over: false, ...dealtOf(p) };
}
