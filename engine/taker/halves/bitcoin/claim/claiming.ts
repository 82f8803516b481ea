import { sameOutpoint, type Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { buried } from '../../../../legs/onchain/depth.ts';
import { isUnread } from '../../../../legs/onchain/events.ts';
import {
  isOurs,
  takingCoinAnew,
  whenCalledSpent,
  whileTakingCoin,
  type CoinTaker,
} from '../../../../swap/halves/bitcoin/taking.ts';
import { isOwnClaim } from '../../../../swap/halves/bitcoin/cosign.ts';
import { foreignSpend, whenForeign } from '../../../../swap/halves/bitcoin/foreign.ts';
import { takes } from '../../../../swap/halves/takes.ts';
import { move, type Event, type EventOf, type Resumption, type Step } from '../../../../swap/machine.ts';
import type { ClaimAnswer } from '../../claim.ts';
import { claimEffect, isShown, onlyIf, type BitcoinClaim } from './effects.ts';
import { coinInstead, coinOf, judge, offered, type Seen } from './coins.ts';
import type { Claiming, LockFacts, PayoutCoin } from './terms.ts';
import { askEffect, isAsking, settled, whenTogether } from './together.ts';

/*
 * The provider's coin at an HTLC of the Bitcoin chain is claimed with our secret, to our own wallet.
 *
 * Loses money when wrong: the secret shown for a coin that is short, shallow, or about to be taken back; a claim given
 * up once the secret has left us.
 */

type Answer = ClaimAnswer<LockFacts, Claiming>;
type End = Exclude<Answer, 'stay' | Step<Claiming>>;

/** The claim of a coin. `shown`: the secret has left us already. */
export function claimed(claim: BitcoinClaim, coin: PayoutCoin, shown: boolean): Step<Claiming> {
  const p: Claiming = { coin, spends: [], shown };
  return { progress: p, effects: [claimEffect(claim, p)], supersedes: true };
}

function takerOf(claim: BitcoinClaim): CoinTaker<Claiming, End> {
  return {
    purpose: 'claim',
    coin: ({ coin }) => coin.outpoint,
    effect: (p, leastRate) => claimEffect(claim, p, leastRate),
    onlyIf: (p) => (isShown(claim, p) ? undefined : onlyIf(claim, p)),
    taken: bought,
    // The secret is still ours alone, unless another life of this node showed it: then nothing is too late.
    late: (p, reason) => (isShown(claim, p) ? null : unclaimed(p.coin, reason)),
  };
}

/** What was signed and is not known to have been sent is judged as any first showing (facts/faults.md 295). */
export function resumeClaim(claim: BitcoinClaim, p: Claiming, mayBeShown: boolean): Resumption<Claiming> {
  const progress = mayBeShown ? { ...p, shown: true } : p;
  return {
    progress,
    effects: isAsking(progress) ? [askEffect(claim, progress)] : takingCoinAnew(takerOf(claim), progress),
  };
}

/** What is in a mempool, or was with a node, shows our secret. */
function withShown(p: Claiming, event: Event): Claiming {
  const wasSent = event.is === 'onchain.stuck' || (event.is === 'onchain.refused' && event.why === 'refused');
  return wasSent && isOurs(p, event.txid) ? { ...p, shown: true } : p;
}

/** Its own coin is called so: not another one, which it was to claim before. */
function isSpent({ coin }: Claiming, event: EventOf<'onchain.refused'>): boolean {
  return event.why === 'spent' && takes(event, coin.outpoint);
}

export function whenClaiming(claim: BitcoinClaim, p: Claiming, event: Event, now: Clocks): Answer {
  // Nothing was signed: a coin that is called spent is given up, and judged anew where a look shows it to be had.
  if (event.is === 'onchain.refused' && isSpent(p, event) && p.spends.length === 0 && !isShown(claim, p))
    return unclaimed(p.coin, event.reason);
  return event.is === 'htlc.seen'
    ? whenSeen(claim, p, event, now)
    : (whenTogether(claim, p, event, now, () => takerOf(claim)) ??
        whileTakingCoin(takerOf(claim), withShown(settled(p), event), event) ??
        'stay');
}

/** Whoever made it has our key: once it is buried the coin is nobody's to claim any more. */
function whenStolen(claim: BitcoinClaim, p: Claiming, txid: Txid, isBuried: boolean): Answer {
  const alarm = whenForeign(p, txid);
  if (!isBuried) return alarm ?? 'stay';
  const { along, ...end } = spoiled(p.coin, isShown(claim, p));
  return { ...end, along: { ...along, ...(alarm?.flag === undefined ? {} : { flag: alarm.flag }) } };
}

function bought({ coin }: Claiming, claimTxid: Txid): End {
  return {
    fact: 'bought',
    target: { coin, unsafe: null, claimTxid, takenBack: false },
    along: { supersedes: true },
  };
}

function unclaimed(coin: PayoutCoin | null, unsafe: string | null): End {
  return {
    fact: 'unclaimed',
    target: { coin, unsafe, claimTxid: null, takenBack: false },
    along: { supersedes: true },
  };
}

function whenSeen(claim: BitcoinClaim, p: Claiming, seen: Seen, now: Clocks): Answer {
  const other = isShown(claim, p) ? coinInstead(claim.deal.target, p, seen) : null;
  if (other !== null) return claimed(claim, coinOf(other), true);
  const own = seen.coins.find(({ outpoint }) => sameOutpoint(outpoint, p.coin.outpoint));
  if (own === undefined) return vanished(claim, p, seen, now);
  const { spend } = own;
  // By the look itself: a block that came since may be one of another branch.
  const isBuried = buried(spend?.height ?? null, seen.height);
  const isSeen = p.shown || isOwnClaim(own);
  const again = whenCalledSpent(takerOf(claim), { ...settled(p), shown: isSeen }, own, seen.height);
  if (again !== null) return again;
  const foreign = foreignSpend(own);
  if (foreign !== null) return whenStolen(claim, p, foreign, isBuried);
  if (spend === null || (isUnread(spend) && !isOwnClaim(own))) return 'stay';
  if (spend.by === 'refund') return isBuried ? spoiled(p.coin, isShown(claim, p)) : 'stay';
  // Only we sign a claim: one that we do not know is ours too, and was made before this database was restored.
  if (isBuried && (!isOurs(p, spend.txid) || p.halted === true)) return bought(p, spend.txid);
  return isShown(claim, p) ? 'stay' : move<Claiming>({ ...p, shown: true });
}

/**
 * A reorganisation took the coin. Our claim is sent again with it. While the secret is out, or it is not known whether
 * it is, nothing is begun anew by that alone: the claim's own end says it.
 *
 * Where no mempool has the provider's funding any more, it goes out with our claim as one package: its bytes are on our
 * disk before the secret leaves. Only one that the provider replaced by another transaction of the same coins is
 * refused.
 */
function vanished(claim: BitcoinClaim, p: Claiming, seen: Seen, now: Clocks): Answer {
  const { t, deal } = claim;
  const { target: leg } = deal;
  if (isShown(claim, p) || p.spends.length > 0) return 'stay';
  const other = offered(leg, seen);
  return other !== null && judge(t, leg, other, seen, now) === null
    ? claimed(claim, coinOf(other), false)
    : unclaimed(null, null);
}

/** Too late: what we gave is ours again from its timelock on, unless the provider took that as well. */
export function spoiled(coin: PayoutCoin | null, isShown: boolean): End {
  return {
    fact: 'spoiled',
    isShown,
    target: { coin, unsafe: null, claimTxid: null, takenBack: true },
    along: { supersedes: true },
  };
}
