import type { Txid } from '../../../../domain/outpoint.ts';
import { buried } from '../../../../legs/onchain/depth.ts';
import { isUnread } from '../../../../legs/onchain/events.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { claimUntil } from '../../../../legs/timelocks.ts';
import type { Answer, News } from '../../answer.ts';
import type { ClaimEnd } from '../../claim.ts';
import {
  move,
  type Effect,
  type Event,
  type LedgerLine,
  type Resumption,
  type Step,
  type EventOf,
} from '../../../machine.ts';
import { earned } from '../../../ledger.ts';
import { isJoint, isOwnClaim } from '../cosign.ts';
import { isOurs, spendEffect, whenCalledSpent, whileTakingCoin, type CoinTaker, type SpendEffect } from '../taking.ts';
import { coinsBeside, ownCoin } from './coins.ts';
import { deepCoin, isInBlock, whenKept } from './funding.ts';
import { endedOf, type Claiming, type Coin, type OnchainClaim, type OnchainSourceTerms as T } from './terms.ts';

/** Ours is buried, or the client's refund. */
type End = News<ClaimEnd<OnchainClaim>>;
type Moved<C> = Answer<C, ClaimEnd<OnchainClaim>>;

/** Takes the client's coin with the secret that was learned: its fee rises until the client could take it back. */
export function claimEffect(t: T, p: Pick<Claiming, 'coin' | 'parent'>, leastRate = 0): SpendEffect {
  const { htlc: terms, htlcScript: script, keyIndex: index } = t;
  const htlc = { purpose: 'claim', terms, script, key: { branch: 'swap', index } } as const;
  return spendEffect(htlc, p, locktimeOf(terms), leastRate);
}

/**
 * The first one, of which nothing is signed yet: its client is asked to sign it with us, and waited for only as long as
 * the claim by the script loses nothing by it. Never again for the same swap.
 */
export function firstClaim(t: T, p: Pick<Claiming, 'coin'>): Effect {
  const { htlc, policy, asksClient } = t;
  const alone = claimEffect(t, p);
  if (asksClient !== true || !isJoint(htlc)) return alone;
  return { ...alone, asksUntil: claimUntil(locktimeOf(htlc), policy) };
}

function claimOf<C extends Claiming>(t: T): CoinTaker<C, End> {
  return {
    purpose: 'claim',
    coin: (p) => p.coin,
    effect: (p, leastRate) => claimEffect(t, p, leastRate),
    taken: (p, txid, costs) => claimed(t, p, txid, costs),
  };
}

/**
 * What was given for the coin is the client's: nothing but a spend of the coin that is buried stops the claim. Null:
 * the event is no business of the claim's.
 */
export function whenClaiming<C extends Claiming>(t: T, p: C, event: Event, isPaidBack: boolean): Moved<C> | null {
  return event.is === 'htlc.seen' ? whenSeen(t, p, event, isPaidBack) : whileTakingCoin(claimOf<C>(t), p, event);
}

export function resumeClaim<C extends Claiming>(t: T, p: C): Resumption<C> {
  return { progress: p, effects: [claimEffect(t, p)] };
}

function claimed(t: T, p: Claiming, txid: Txid, costs: readonly LedgerLine[] = []): End {
  return {
    fact: 'claimed',
    claimed: { ...endedOf(p), mined: txid },
    along: {
      supersedes: true,
      ledger: [...earned('bitcoin', t, p.surplus), ...costs],
    },
  };
}

function whenSeen<C extends Claiming>(t: T, p: C, event: EventOf<'htlc.seen'>, isPaidBack: boolean): Moved<C> {
  const other = isPaidBack ? null : coinInstead(t, p, event);
  if (other !== null) return claimOther(t, p, event, other);
  const own = ownCoin(p, event.coins);
  if (own === null) return whenKept(p, event);
  const again = whenCalledSpent(claimOf<C>(t), p, own, event.height);
  if (again !== null) return again;
  const { spend } = own;
  const isRead = spend !== null && (!isUnread(spend) || isOwnClaim(own));
  if (!isRead || spend.height === null) return whenKept(p, event);
  const isBuried = buried(spend.height, event.height);
  if (spend.by === 'refund') return isBuried ? { fact: 'lost', lost: endedOf(p) } : whenKept(p, event);
  // Only we sign a claim: one that we do not know is ours too, and was made before this database was restored.
  if (isBuried && (!isOurs(p, spend.txid) || p.halted === true)) return claimed(t, p, spend.txid);
  if (p.mined === spend.txid) return whenKept(p, event);
  return move<C>({ ...p, mined: spend.txid });
}

/**
 * A reorganisation took the coin: whoever sent it may have sent another in its place, and that one is claimed, or was
 * by a claim from memory that no disk knows of (facts/faults.md 310). Not once a claim of the first is signed, which
 * would take it too should it come again: the client gave one coin.
 */
function coinInstead(t: T, p: Claiming, event: EventOf<'htlc.seen'>): Coin | null {
  const own = ownCoin(p, event.coins);
  const isSigned = p.spends.length > 0 || p.mined !== null || (own !== null && isOwnClaim(own));
  if (isSigned) return null;
  const claimedOnes = event.coins.filter(isOwnClaim).map((coin) => ({ ...coin, spend: null }));
  const claimed = deepCoin(t, { ...event, coins: claimedOnes }, 1);
  return claimed ?? (isInBlock(own) ? null : deepCoin(t, event, t.confirmations));
}

function claimOther<C extends Claiming>(t: T, p: C, { coins }: EventOf<'htlc.seen'>, other: Coin): Step<C> {
  const { gone: _gone, halted: _halted, parent: _parent, ...rest } = p;
  const next = { ...rest, ...other, extras: coinsBeside(coins, other.coin), spends: [], mined: null } as unknown as C;
  return { progress: next, effects: [claimEffect(t, next)], supersedes: true };
}
