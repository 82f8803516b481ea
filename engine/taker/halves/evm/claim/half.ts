import { checksummed } from '../../../../domain/evm-address.ts';
import { after, unix, type Clocks, type Unix } from '../../../../domain/time.ts';
import type { SeenLock } from '../../../../legs/evm/events.ts';
import { swapKey } from '../../../../legs/evm/swap-key.ts';
import { evmTime, lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import { safeToRevealForLock } from '../../../../legs/safety/reveal.ts';
import { revealMargin } from '../../../../legs/timelocks.ts';
import { move, type Event, type Step, type Watch } from '../../../../swap/machine.ts';
import { evmSide, tokenSide } from '../../../evm/facts.ts';
import { evmLeg } from '../../../evm/shape.ts';
import type { EvmLeg } from '../../../evm/terms.ts';
import { movedBy, signedAs, type Facts, type Moved, type Side } from '../../../facts.ts';
import { lockLeg } from '../../../../swap/rescue.ts';
import type { Deal, Leg } from '../../../terms.ts';
import type { ClientClaim, Offer } from '../../claim.ts';
import {
  bought,
  byNode,
  byProvider,
  factsAs,
  isAsking,
  isUnshown,
  lockIn,
  patience,
  resumeClaim,
  takenBack,
  whenClaiming,
  type EvmClaim,
} from './claiming.ts';
import { isPaused, lockedTokenFrom, nextBy } from './price.ts';
import { claiming, depthToShow, facts, factsOf, type Claiming, type EvmClaimTerms, type LockFacts } from './terms.ts';

type T = EvmClaimTerms;

const track = [
  { step: 'lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'claim', reachedBy: ['claimed', 'done'] },
  { step: 'finished', reachedBy: ['claimed', 'done'] },
] as const;
const exchanged = [{ step: 'exchange', reachedBy: ['claimed', 'done'] }, ...track.slice(1)] as const;

/** The provider locks a token on an EVM chain, and we claim it. */
export const claimOnEvm: ClientClaim<T, EvmLeg, LockFacts, Claiming> = {
  leg: 'evm',
  theirs: 'its lock',
  fields: { target: evmLeg, facts, claiming },
  none: { lockTxid: null, unsafe: null, claimTxid: null, takenBack: false },
  look: 'evm.seen',
  offered: whenSeen,
  claiming: whenClaiming,
  resume: resumeClaim,
  told: whenTold,
  fate: ({ claimTxid, takenBack }) => (claimTxid !== null ? 'ours' : takenBack ? 'lost' : null),
  unsafe: ({ unsafe }) => unsafe,
  isOffered: ({ lockTxid }) => lockTxid !== null,
  isOver: (t, { target }, now) => timelockPassed(lockEnd(target), now, t.chain),
  isSeen: ({ claimTxid }) => claimTxid !== null,
  watches(t, { target }, p) {
    const lock: Watch = {
      on: 'evm-lock',
      network: t.chain,
      htlc: target.contracts.htlc,
      hash: t.hash,
      wanted: { are: 'one', key: swapKey(target.lock) },
      since: t.since,
      agreed: t.agreed,
    };
    return 'sent' in p && p.sent !== null
      ? [lock, { on: 'evm-sent', network: t.chain, purpose: 'taker-claim', txid: p.sent }]
      : [lock];
  },
  // When a claim that nobody made is asked for again.
  deadline: ({ claimTxid, since }) => (claimTxid === null ? after(since, patience) : null),
  rescue: ({ evmKey: key, destination, since }, { target }) => lockLeg({ ...target, since }, { key, destination }),
  isShown: (p) => !isUnshown(p),
  isByNote: isAsking,
  view: {
    get: gets,
    to: ({ destination }) => ({ own: false, text: checksummed(destination) }),
    now: ({ chain }, clocks) => evmTime(clocks, chain),
    times: (t, { target }) => ({
      until: unix(lockEnd(target) - revealMargin(t.policy)),
      end: lockEnd(target),
    }),
    moves,
    reason,
    track,
    waits: (t, { target }, p, alone) =>
      p.price !== undefined && p.lockTxid !== null && p.unsafe === null
        ? {
            turn: { who: 'node', step: 'exchange', until: lockedTokenFrom(target, t) },
            track: [track[0], ...exchanged],
          }
        : { turn: { who: 'provider', step: 'lock', until: alone } },
    claimTurn: (_, { target }, { by }) => ({
      who: by === 'provider' ? 'provider' : 'node',
      step: 'claim',
      until: lockEnd(target),
    }),
  },
};

/** Nothing is there to be claimed any more: taken back for good, or never made until that could have been. */
function isOver({ burial, policy }: T, leg: EvmLeg, lock: SeenLock | null, time: Unix): boolean {
  if (lock === null) return time >= after(lockEnd(leg), policy.margin);
  return lock.state.is === 'refunded' && lock.state.confirmations >= burial;
}

/** What we gave lies there, or is not seen yet: the provider's lock decides. */
function whenSeen(claim: EvmClaim, p: LockFacts, event: Event, now: Clocks): Offer<LockFacts, Claiming> {
  if (event.is !== 'evm.seen') return 'stay';
  const { t, deal, isOut, isBack } = claim;
  const { locks, time } = event;
  const lock = lockIn(deal.target, locks);
  // Another life of this node was quicker: nobody else has the secret.
  if (lock?.state.is === 'redeemed') {
    const target = factsAs(p, lock, lock.state.txid);
    if (lock.state.confirmations >= t.burial)
      return bought(t, deal.target, target, lock.state.txid) as Offer<LockFacts, Claiming>;
    return { fact: 'claiming', target: claimBy('node', target, now) };
  }
  if (isOut && isOver(t, deal.target, lock, time)) return takenBack(p) as Offer<LockFacts, Claiming>;
  if (lock?.state.is !== 'active' || (isBack && !isOut))
    return p.lockTxid === null && p.unsafe === null ? 'stay' : move<LockFacts>({ ...p, lockTxid: null, unsafe: null });
  const next: LockFacts = { ...factsOf(p), lockTxid: lock.txid, unsafe: null };
  if (isOut)
    return {
      fact: 'claiming',
      target: claimBy('node', next, now),
      along: { effects: [byNode(claim, next, null, now)] },
    };
  const { network } = deal.target;
  const { confirmations: depth, doubt } = lock;
  const offer = { network, depth, doubt, confirmations: depthToShow(t), timelock: lockEnd(deal.target) };
  const unsafe = safeToRevealForLock(offer, now, t.policy)?.sentence ?? null;
  if (unsafe !== null)
    return unsafe === p.unsafe && lock.txid === p.lockTxid ? 'stay' : move<LockFacts>({ ...next, unsafe });
  if (isPaused(next, now)) return p.lockTxid === lock.txid && p.unsafe === null ? 'stay' : move<LockFacts>(next);
  const by = nextBy(t, next);
  return {
    fact: 'claiming',
    target: { ...claimBy(by, next, now), alone: by === 'node' },
    along: {
      effects: [by === 'provider' ? byProvider(claim, next, lock.txid, now) : byNode(claim, next, lock.txid, now)],
    },
  };
}

function claimBy(by: Claiming['by'], target: LockFacts, { wall }: Clocks): Claiming {
  return { ...target, by, since: wall, sent: null, declined: null, alone: false };
}

function whenTold(p: LockFacts, event: Event): Step<LockFacts> | 'stay' | null {
  if (event.is !== 'evm.arrived') return null;
  const [wanted, locked] = event.amounts;
  if (wanted === undefined || locked === undefined || p.arrived !== undefined) return 'stay';
  return move<LockFacts>({ ...p, arrived: { wanted: wanted.amount, locked: locked.amount } });
}

/** What comes out: expected, and once the chain has told, what did. */
function gets(t: T, deal: Deal<Leg, EvmLeg> | null, { arrived }: LockFacts): Side {
  const { exchange } = t;
  if (exchange === undefined) return evmSide(t, deal?.target.amount ?? t.targetAmount);
  if (arrived === undefined) return { ...tokenSide(t.chain, exchange.token, t.targetAmount), least: exchange.least };
  return arrived.wanted === 0n ? evmSide(t, arrived.locked) : tokenSide(t.chain, exchange.token, arrived.wanted);
}

function moves({ chain: network }: T, { lockTxid, claimTxid }: LockFacts, under: Claiming | null): Moved[] {
  const claim = under?.claimTxid ?? claimTxid;
  return [
    ...movedBy('provider', 'lock', network, under?.lockTxid ?? lockTxid),
    ...movedBy('you', 'claim', network, claim),
    ...signedAs('claim', network, claim === null ? (under?.sent ?? null) : null),
  ];
}

function reason(
  { price, claimTxid, arrived }: LockFacts,
  isUnderWay: boolean,
): Pick<Facts, 'reason' | 'detail'> | null {
  if (price !== undefined && claimTxid === null && isUnderWay) return { reason: 'price-away', detail: price.reason };
  return arrived?.wanted === 0n ? { reason: 'not-exchanged', detail: null } : null;
}
