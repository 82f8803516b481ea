import { sameBytes } from '../../../../domain/hash.ts';
import type { Sats } from '../../../../domain/money.ts';
import { hasPassed, minute, seconds, unix, type Clocks, type Unix } from '../../../../domain/time.ts';
import { hasFailed, type SeenLock } from '../../../../legs/evm/events.ts';
import { swapKey } from '../../../../legs/evm/swap-key.ts';
import type { TakerClaim } from '../../../../legs/evm/taker-acts.ts';
import type { OnlyIf } from '../../../../legs/only-if.ts';
import { revealMargin } from '../../../../legs/timelocks.ts';
import { move, type Effect, type Event, type Resumption, type Step } from '../../../../swap/machine.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { EvmLeg } from '../../../evm/terms.ts';
import type { Deal, Leg } from '../../../terms.ts';
import type { Claim, ClaimAnswer } from '../../claim.ts';
import { isExchanged, reverted, waiting } from './price.ts';
import { depthToShow, factsOf, type Claiming, type EvmClaimTerms, type LockFacts } from './terms.ts';

/*
 * The provider's lock on an EVM chain is claimed with our secret, through the provider or by our own transaction.
 *
 * Loses money when wrong: the secret shown for a lock that is short, shallow, of other terms, or about to be taken
 * back; a claim given up once the secret has left us.
 */

type T = EvmClaimTerms;
type Answer = ClaimAnswer<LockFacts, Claiming>;
type End = Exclude<Answer, 'stay' | Step<Claiming>>;
type Seen = Event & { is: 'evm.seen' };

export type EvmClaim = Claim<T, EvmLeg>;

/** How long whoever was asked to claim for us has until the next one is asked too. */
export const patience = seconds(10 * minute);

/** The lock of the record, to the last byte of its terms; the one that stands before any that is over. */
export function lockIn({ lock }: EvmLeg, locks: readonly SeenLock[]): SeenLock | null {
  const key = swapKey(lock);
  const ours = locks.filter((one) => sameBytes(one.key, key));
  return ours.find(({ state }) => state.is === 'active') ?? ours.at(-1) ?? null;
}

/** What is signed is what we verified: nothing of it comes from the provider. */
function claimOf({ t, deal }: EvmClaim, p: LockFacts, now: Clocks): TakerClaim {
  const { lock } = deal.target;
  const exchange = isExchanged(t, deal.target, p, now) ? t.exchange : undefined;
  return {
    lock,
    calls: [],
    sweepToken: exchange?.token.address ?? lock.token,
    minAmountOut: exchange?.least ?? lock.amount,
    ...(exchange === undefined ? {} : { slippageBps: exchange.slippageBps }),
    destination: t.destination,
    key: t.evmKey,
  };
}

/** What the claim saves, in sats: what was given for it. */
function valueOf({ source }: Deal<Leg, EvmLeg>): Sats {
  return source.amount as Sats;
}

/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
function onlyIf({ t, deal, limit }: EvmClaim, txid: string): OnlyIf & { readonly notAfter: Unix } {
  const { network, contracts, lock } = deal.target;
  const { agreed, policy } = t;
  return {
    notAfter: unix(lockEnd(deal.target) - revealMargin(policy)),
    offer: {
      network,
      htlc: contracts.htlc,
      lock,
      txid,
      confirmations: depthToShow(t),
      agreed,
      value: valueOf(deal),
      policy,
    },
    ...limit,
  };
}

export function byProvider(claim: EvmClaim, p: LockFacts, txid: string, now: Clocks): Effect {
  const { t, deal } = claim;
  const { network, contracts } = deal.target;
  return {
    do: 'provider.claim-evm',
    provider: t.provider,
    swapId: deal.swapId,
    network,
    contracts,
    claim: claimOf(claim, p, now),
    onlyIf: onlyIf(claim, txid),
  };
}

/** `first`: the secret has not left us yet, and leaves with it. */
export function byNode(claim: EvmClaim, p: LockFacts, first: string | null, now: Clocks): Effect {
  const { target } = claim.deal;
  const condition = first === null ? null : onlyIf(claim, first);
  return {
    do: 'evm.send',
    network: target.network,
    contracts: target.contracts,
    act: { is: 'taker-claim', ...claimOf(claim, p, now) },
    // Signed and not sent by then, it is not sent at all.
    deadline: condition?.notAfter ?? lockEnd(target),
    value: valueOf(claim.deal),
    ...(condition === null ? {} : { onlyIf: condition }),
  };
}

export function whenClaiming(claim: EvmClaim, p: Claiming, event: Event, now: Clocks): Answer {
  const { t } = claim;
  switch (event.is) {
    case 'evm.seen':
      return whenLockSeen(claim, p, event, now);
    case 'provider.claim-withheld':
      // Another life of this node may have claimed it.
      if (p.by !== 'provider' || p.sent !== null || p.claimTxid !== null) return 'stay';
      return event.unreached === true && p.lockTxid !== null ? alone(claim, p, now) : unclaimed(t, p, event, now);
    case 'provider.declined':
      // It has our secret, unless it was not reached: from here on nothing but the end of the lock stops the claim.
      return p.claimTxid === null && p.declined === null && !isUnshown(p)
        ? move({ ...p, by: 'node', since: now.wall, declined: event.reason }, byNode(claim, p, null, now))
        : 'stay';
    case 'evm.prepared':
      return event.purpose === 'taker-claim' ? move({ ...p, sent: event.txid, alone: false }) : 'stay';
    case 'evm.refused':
      if (event.purpose !== 'taker-claim') return 'stay';
      if (isUnshown(p)) return unclaimed(t, p, event, now);
      if (event.unshown === true && p.sent === null && p.claimTxid === null)
        return { ...unclaimed(t, p, event, now), along: { supersedes: true } };
      return event.unpriced === true && p.claimTxid === null
        ? move({ ...p, ...waiting(t, factsOf(p), now, { by: 'node', reason: event.reason }) })
        : 'stay';
    case 'evm.sent':
      return whenSent(claim, p, event, now);
    case 'clock':
      return isOverdue(p, now) ? askBoth(claim, p, now) : 'stay';
    default:
      return 'stay';
  }
}

function whenSent(claim: EvmClaim, p: Claiming, event: Event & { is: 'evm.sent' }, now: Clocks): Answer {
  const { t, deal } = claim;
  const { state } = event;
  if (event.purpose !== 'taker-claim' || event.txid !== p.sent || p.claimTxid !== null) return 'stay';
  if (!hasFailed(state)) return 'stay';
  // It was signed and never sent: the secret is ours alone, and what was given comes back (facts/faults.md 126).
  if (state.is === 'gone' && state.unsent === true) {
    const { fact, target } = unclaimed(t, p, { reason: 'the claim could not be sent in time' }, now);
    return { fact, target, along: { supersedes: true } };
  }
  const next: Claiming = { ...p, sent: null, since: now.wall };
  return state.is === 'mined' && isExchanged(t, deal.target, p, now)
    ? move({ ...next, ...reverted(t, factsOf(p), now) })
    : move(next, byNode(claim, p, null, now));
}

/** Whoever was to claim is asked again; a transaction of ours that its queue has still is found by the act. */
export function resumeClaim(claim: EvmClaim, p: Claiming, now: Clocks): Resumption<Claiming> {
  if (p.claimTxid !== null) return { progress: p, effects: [] };
  if (p.by === 'provider' && p.lockTxid !== null)
    return { progress: p, effects: [byProvider(claim, p, p.lockTxid, now)] };
  return { progress: { ...p, sent: null }, effects: [byNode(claim, p, isUnshown(p) ? p.lockTxid : null, now)] };
}

/** Nobody heard the secret: our own transaction claims, and shows it first (facts/faults.md 143). */
function alone(claim: EvmClaim, p: Claiming, now: Clocks): Step<Claiming> {
  return move<Claiming>({ ...p, by: 'node', since: now.wall, alone: true }, byNode(claim, p, p.lockTxid, now));
}

/** Our own transaction alone was asked for, and nothing was signed yet. */
export function isUnshown({ alone, sent, claimTxid }: Claiming): boolean {
  return alone && sent === null && claimTxid === null;
}

/** Nobody but the provider was ever to claim, and it said nothing of it yet. */
export function isAsking({ by, sent, claimTxid, declined }: Claiming): boolean {
  return by === 'provider' && sent === null && claimTxid === null && declined === null;
}

/** It was not safe any more, or has no price now, and the secret is still ours alone. */
function unclaimed(
  t: T,
  p: Claiming,
  { reason, unpriced }: { readonly reason: string; readonly unpriced?: true },
  now: Clocks,
): End & { readonly fact: 'unclaimed' } {
  const waits = waiting(t, factsOf(p), now, { by: p.by, reason });
  return { fact: 'unclaimed', target: { ...waits, unsafe: unpriced === true ? null : reason } };
}

function isOverdue({ claimTxid, since }: Claiming, { wall }: Clocks): boolean {
  return claimTxid === null && hasPassed(patience, since, wall);
}

/**
 * Nobody has claimed: our own transaction, and the provider once more where it was to send it. Who waited may not have
 * been asked yet: whoever shows the secret first is judged (facts/faults.md 148).
 */
function askBoth(claim: EvmClaim, p: Claiming, now: Clocks): Step<Claiming> {
  if (isUnshown(p) && p.lockTxid !== null)
    return { progress: { ...p, since: now.wall }, effects: [byNode(claim, p, p.lockTxid, now)], supersedes: true };
  const again = claim.t.gasless && p.lockTxid !== null ? [byProvider(claim, p, p.lockTxid, now)] : [];
  return {
    progress: { ...p, by: 'node', since: now.wall, declined: null },
    // One after the other: a provider that is silent must not keep our own transaction waiting.
    effects: p.sent === null ? [byNode(claim, p, p.lockTxid, now), ...again] : again,
    supersedes: true,
  };
}

function whenLockSeen(claim: EvmClaim, p: Claiming, { locks }: Seen, now: Clocks): Answer {
  const { t, deal } = claim;
  const lock = lockIn(deal.target, locks);
  if (lock === null) return 'stay';
  switch (lock.state.is) {
    case 'redeemed': {
      const next = factsAs(p, lock, lock.state.txid);
      if (lock.state.confirmations >= t.burial) return bought(t, deal.target, next, lock.state.txid);
      // Whoever made it, the secret is out.
      return p.claimTxid === lock.state.txid ? 'stay' : move({ ...p, ...next, alone: false });
    }
    case 'refunded':
      return lock.state.confirmations < t.burial ? 'stay' : takenBack(p);
    case 'active':
      // No clock wakes it before a wall that was set back has come there again.
      if (p.claimTxid === null) return isOverdue(p, now) ? askBoth(claim, p, now) : 'stay';
      // The block with our claim is gone: whoever sent it sends it again, and so do we.
      return move({ ...p, claimTxid: null, since: now.wall }, byNode(claim, p, null, now));
  }
}

/** The provider has its lock again, or never made it, and our secret may have left us. */
export function takenBack(p: LockFacts): End {
  return {
    fact: 'spoiled',
    isShown: true,
    target: { ...factsOf(p), claimTxid: null, takenBack: true },
    along: { supersedes: true },
  };
}

/** A claim of ours by whomever: it is over once it is buried, and stays ours to make until then. */
export function factsAs(p: LockFacts, lock: SeenLock, claimTxid: string): LockFacts {
  return { ...factsOf(p), lockTxid: lock.txid, unsafe: null, claimTxid };
}

/** What came of an exchange, the chain alone can tell: both claims that we may have signed are valid to the end. */
export function bought(t: T, { lock }: EvmLeg, target: LockFacts, txid: string): End {
  const tokens = t.exchange === undefined ? [] : [t.exchange.token.address, lock.token];
  const asks: Effect[] =
    tokens.length === 0 ? [] : [{ do: 'evm.read-arrival', network: t.chain, txid, to: t.destination, tokens }];
  return { fact: 'bought', target, along: { effects: asks, supersedes: true } };
}
