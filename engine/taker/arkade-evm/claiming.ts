import { sameBytes } from '../../domain/hash.ts';
import { after, hasPassed, minute, seconds, unix, type Clocks, type Unix } from '../../domain/time.ts';
import type { SeenLock } from '../../legs/evm/events.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import type { TakerClaim } from '../../legs/evm/taker-acts.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import { safeToRevealForLock } from '../../legs/safety/reveal.ts';
import { revealMargin } from '../../legs/timelocks.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { dealtOf, type Dealt } from '../vhtlc-source/terms.ts';
import { isExchanged, isPaused, nextBy, reverted, waiting } from './price.ts';
import { targetOf, type TakeArkadeEvmProgress, type TakeArkadeEvmTerms, type Target } from './terms.ts';

type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;
export type Base = Dealt<EvmLeg> & Target;
type Dealing = Exclude<P, { readonly at: 'creating' | 'refused' }>;
type Seen = Event & { is: 'evm.seen' };

/** How long whoever was asked to claim for us has until the next one is asked too. */
const patience = seconds(10 * minute);

export function baseOf(p: Base): Base {
  return { ...dealtOf<EvmLeg>(p), ...targetOf(p) };
}

/** The lock of the record, to the last byte of its terms; the one that stands before any that is over. */
function lockIn(p: Base, locks: readonly SeenLock[]): SeenLock | null {
  const key = swapKey(p.deal.target.lock);
  const ours = locks.filter((lock) => sameBytes(lock.key, key));
  return ours.find(({ state }) => state.is === 'active') ?? ours.at(-1) ?? null;
}

/** What is signed is what we verified: nothing of it comes from the provider. */
function claimOf(t: T, p: Base, now: Clocks): TakerClaim {
  const { lock } = p.deal.target;
  const exchange = isExchanged(t, p, now) ? t.exchange : undefined;
  return {
    lock,
    calls: [],
    sweepToken: exchange?.token.address ?? lock.token,
    minAmountOut: exchange?.least ?? lock.amount,
    destination: t.destination,
    key: t.evmKey,
  };
}

function timelockOf({ deal }: Base): Unix {
  return unix(Number(deal.target.lock.timelock));
}

/** Judged once more at the moment at which the secret leaves us, however long the node slept. */
function onlyIf(t: T, p: Base, txid: string): OnlyIf {
  const { network, contracts, lock } = p.deal.target;
  const { burial: confirmations, agreed, policy } = t;
  return {
    notAfter: unix(timelockOf(p) - revealMargin(policy)),
    offer: { network, htlc: contracts.htlc, lock, txid, confirmations, agreed, policy },
  };
}

function byProvider(t: T, p: Base, txid: string, now: Clocks): Effect {
  const { swapId, target } = p.deal;
  const { network, contracts } = target;
  return {
    do: 'provider.claim-evm',
    provider: t.provider,
    swapId,
    network,
    contracts,
    claim: claimOf(t, p, now),
    onlyIf: onlyIf(t, p, txid),
  };
}

/** `first`: the secret has not left us yet, and leaves with it. */
function byNode(t: T, p: Base, first: string | null, now: Clocks): Effect {
  const { network, contracts } = p.deal.target;
  return {
    do: 'evm.send',
    network,
    contracts,
    act: { is: 'taker-claim', ...claimOf(t, p, now) },
    deadline: timelockOf(p),
    value: p.deal.source.amount,
    ...(first === null ? {} : { onlyIf: onlyIf(t, p, first) }),
  };
}

/** Our coins lie there, or are not seen yet: the provider's lock decides. */
export function whenLockSeen(t: T, p: P & { at: 'waiting' | 'funded' }, { locks }: Seen, now: Clocks): Outcome<P> {
  if (p.claimTxid !== null || p.takenBack) return 'stay';
  const lock = lockIn(p, locks);
  // Another life of this node was quicker: nobody else has the secret.
  if (lock?.state.is === 'redeemed') return whenClaimSeen(t, { ...p, lockTxid: lock.txid }, lock, lock.state, now);
  if (lock?.state.is !== 'active')
    return p.lockTxid === null && p.unsafe === null ? 'stay' : move<P>({ ...p, lockTxid: null, unsafe: null });
  const { network } = p.deal.target;
  const { confirmations: depth, doubt } = lock;
  const claim = { network, depth, doubt, confirmations: t.burial, timelock: timelockOf(p) };
  const unsafe = safeToRevealForLock(claim, now, t.policy)?.sentence ?? null;
  if (unsafe !== null)
    return unsafe === p.unsafe && lock.txid === p.lockTxid ? 'stay' : move<P>({ ...p, lockTxid: lock.txid, unsafe });
  const base: Base = { ...baseOf(p), lockTxid: lock.txid, unsafe: null };
  if (isPaused(base, now)) return p.lockTxid === lock.txid && p.unsafe === null ? 'stay' : move<P>({ ...p, ...base });
  const by = nextBy(t, base);
  return move<P>(
    { at: 'claiming', by, since: now.wall, sent: null, declined: null, alone: by === 'node', ...base },
    by === 'provider' ? byProvider(t, base, lock.txid, now) : byNode(t, base, lock.txid, now),
  );
}

export function whenClaiming(t: T, p: P & { at: 'claiming' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'evm.seen':
      return whenClaimedLockSeen(t, p, event, now);
    case 'provider.claim-withheld':
      return p.by === 'provider' && p.sent === null ? unclaimed(t, p, event, now) : 'stay';
    case 'provider.declined':
      // It has our secret: from here on nothing but the end of the lock stops the claim.
      return p.claimTxid === null && p.declined === null
        ? move<P>({ ...p, by: 'node', since: now.wall, declined: event.reason }, byNode(t, p, null, now))
        : 'stay';
    case 'evm.prepared':
      return event.purpose === 'taker-claim' ? move<P>({ ...p, sent: event.txid, alone: false }) : 'stay';
    case 'evm.refused':
      if (event.purpose !== 'taker-claim') return 'stay';
      if (isUnshown(p)) return unclaimed(t, p, event, now);
      return event.unpriced === true && p.claimTxid === null
        ? move<P>({ ...p, ...waiting(t, baseOf(p), now, { by: 'node', reason: event.reason }) })
        : 'stay';
    case 'evm.sent': {
      const over = event.state.is === 'gone' || (event.state.is === 'mined' && !event.state.ok);
      if (event.purpose !== 'taker-claim' || event.txid !== p.sent || !over || p.claimTxid !== null) return 'stay';
      return event.state.is === 'mined' && isExchanged(t, p, now)
        ? move<P>({ ...p, sent: null, since: now.wall, ...reverted(t, baseOf(p), now) })
        : move<P>({ ...p, sent: null, since: now.wall }, byNode(t, p, null, now));
    }
    case 'clock':
      return isOverdue(p, now) ? askBoth(t, p, now) : 'stay';
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
    default:
      return 'stay';
  }
}

/** Our own transaction alone was asked for, and nothing was signed yet. */
function isUnshown(p: P & { at: 'claiming' }): boolean {
  return p.alone === true && p.sent === null && p.claimTxid === null;
}

/** It was not safe any more, or has no price now, and the secret is still ours alone. */
function unclaimed(
  t: T,
  p: P & { at: 'claiming' },
  { reason, unpriced }: { readonly reason: string; readonly unpriced?: true },
  now: Clocks,
): Step<P> {
  const base = waiting(t, baseOf(p), now, { by: p.by, reason });
  return move<P>({ at: 'funded', notBefore: null, declined: null, ...base, unsafe: unpriced === true ? null : reason });
}

function isOverdue({ claimTxid, since }: P & { at: 'claiming' }, { wall }: Clocks): boolean {
  return claimTxid === null && hasPassed(patience, since, wall);
}

/** Nobody has claimed: our own transaction, and the provider once more where it was to send it. */
function askBoth(t: T, p: P & { at: 'claiming' }, now: Clocks): Step<P> {
  if (isUnshown(p) && p.lockTxid !== null)
    return { progress: { ...p, since: now.wall }, effects: [byNode(t, p, p.lockTxid, now)], supersedes: true };
  const again = t.gasless && p.lockTxid !== null ? [byProvider(t, p, p.lockTxid, now)] : [];
  return {
    progress: { ...p, by: 'node', since: now.wall, declined: null },
    // One after the other: a provider that is silent must not keep our own transaction waiting.
    effects: p.sent === null ? [byNode(t, p, null, now), ...again] : again,
    supersedes: true,
  };
}

function whenClaimedLockSeen(t: T, p: P & { at: 'claiming' }, { locks }: Seen, now: Clocks): Outcome<P> {
  const lock = lockIn(p, locks);
  if (lock === null) return 'stay';
  switch (lock.state.is) {
    case 'redeemed':
      return whenClaimSeen(t, p, lock, lock.state, now);
    case 'refunded':
      if (lock.state.confirmations < t.burial) return 'stay';
      return {
        progress: { at: 'funded', notBefore: null, declined: null, ...baseOf(p), takenBack: true },
        effects: [],
        supersedes: true,
        flag:
          'The provider took its lock back while this node claimed it: your coins on Arkade are taken back as soon ' +
          'as that can be done.',
      };
    case 'active':
      // No clock wakes it before a wall that was set back has come there again.
      if (p.claimTxid === null) return isOverdue(p, now) ? askBoth(t, p, now) : 'stay';
      // The block with our claim is gone: whoever sent it sends it again, and so do we.
      return move<P>({ ...p, claimTxid: null, since: now.wall }, byNode(t, p, null, now));
  }
}

/** A claim of ours by whomever: it is over once it is buried, and stays ours to make until then. */
function whenClaimSeen(
  t: T,
  p: P & Base,
  lock: SeenLock,
  { txid, confirmations }: SeenLock['state'] & { is: 'redeemed' },
  now: Clocks,
): Outcome<P> {
  const base: Base = { ...baseOf(p), lockTxid: lock.txid, unsafe: null, claimTxid: txid };
  if (confirmations >= t.burial)
    return { progress: { at: 'claimed', ...base }, effects: arrivalOf(t, base, txid), supersedes: true };
  if (p.at === 'claiming') return p.claimTxid === txid ? 'stay' : move<P>({ ...p, ...base });
  return move<P>({ at: 'claiming', by: 'node', since: now.wall, sent: null, declined: null, alone: false, ...base });
}

/** What came of an exchange, the chain alone can tell: both claims that we may have signed are valid to the end. */
function arrivalOf(t: T, { deal }: Base, txid: string): Effect[] {
  if (t.exchange === undefined) return [];
  const tokens = [t.exchange.token.address, deal.target.lock.token];
  return [{ do: 'evm.read-arrival', network: t.chain, txid, to: t.destination, tokens }];
}

export function whenArrived(p: Dealing, { amounts }: Event & { is: 'evm.arrived' }): Outcome<P> {
  const [wanted, locked] = amounts;
  if (wanted === undefined || locked === undefined || p.arrived !== undefined) return 'stay';
  return move<P>({ ...p, arrived: { wanted: wanted.amount, locked: locked.amount } });
}

/** When a claim that nobody made is asked for again. */
export function claimDeadline(p: P & { at: 'claiming' }): Unix | null {
  return p.claimTxid === null ? after(p.since, patience) : null;
}
