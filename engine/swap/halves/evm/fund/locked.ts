import type { Clocks, Unix } from '../../../../domain/time.ts';
import { lockEnd, timelockPassed } from '../../../../legs/evm/timelocks.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import type { Backing } from '../../surety.ts';
import { move, type Effect, type Event, type EventOf } from '../../../machine.ts';
import { mostReverts } from '../most-reverts.ts';
import { lockGone } from './locking.ts';
import { refundEffect, whenReturned } from './refunding.ts';
import { mistaken, ownLock, redeemed } from './seen.ts';
import {
  claimableOf,
  followed,
  lockedOf,
  type EvmTargetTerms as T,
  type Relay,
  type Stage,
  type Fact,
  type Reply,
} from './terms.ts';

type Unclaimed = Stage<'locked' | 'relaying' | 'relayed'>;

/** Our lock stands: the client claims it, by itself or through us, or we take it back after its timelock. */
export function whenLocked<S extends Unclaimed>(t: T, p: S, event: Event, now: Clocks, backing: Backing): Reply<S> {
  const relay = p.at === 'locked' ? null : p.relay;
  const lock = ownLock(t, event);
  if (lock !== null) {
    const claim = redeemed(t, lock, p.sent, relay);
    if (claim !== null) return claim;
    if (lock.state.is === 'refunded') return whenReturned(t, lock) ?? 'stay';
    if (p.at === 'relaying' && mistaken(p, event)) return again(p, 0, 'our lock was not there for a moment');
    // Mined again in another block after a reorganisation.
    return lock.txid === p.fundTxid ? 'stay' : move<S>({ ...p, fundTxid: lock.txid });
  }
  switch (event.is) {
    case 'clock':
      return timelockPassed(lockEnd(t), now, t.network) ? takeBack(t, p, relay, backing) : 'stay';
    case 'claim.requested':
      return p.at === 'locked' ? relayClaim(t, p, event, now) : 'stay';
    case 'evm.prepared':
      return p.at === 'relaying' && event.purpose === 'relay-claim'
        ? { fact: 'next', next: { at: 'relaying', ...claimableOf(p), relay: { txid: event.txid } } }
        : 'stay';
    case 'evm.already-done':
      return p.at === 'relaying' && event.purpose === 'relay-claim' && p.relay.txid === null
        ? move<S>({ ...p, halted: now.wall })
        : 'stay';
    case 'evm.refused':
      return p.at === 'relaying' && event.purpose === 'relay-claim' && p.relay.txid === null
        ? again(p, 0, event.reason)
        : 'stay';
    case 'evm.sent':
      return whenSent(p, event, now);
    default:
      return null;
  }
}

/** The secret is saved for the relay and opens nothing else: only a claim on chain does. */
function relayClaim(t: T, p: Stage<'locked'>, event: EventOf<'claim.requested'>, now: Clocks): Fact | 'stay' {
  const preimage = preimageMatches(t.hash, event.secret);
  if (preimage === null || timelockPassed(lockEnd(t), now, t.network) || p.reverts >= mostReverts) return 'stay';
  return {
    fact: 'next',
    next: { at: 'relaying', ...claimableOf(p), relay: { txid: null } },
    along: { effects: [relayEffect(t, event, lockEnd(t))], learned: preimage },
  };
}

/** The client's claim, as it signed it. Later than `deadline` nobody is handed it for the first time. */
export function relayEffect(t: T, event: EventOf<'claim.requested'>, deadline: Unix | null): Effect {
  const { network, contracts, lock, sourceAmount } = t;
  const { calls, sweepToken, minAmountOut, destination, signature } = event;
  return {
    do: 'evm.send',
    network,
    contracts,
    act: { is: 'relay-claim', lock, calls, sweepToken, minAmountOut, destination, signature },
    deadline,
    value: sourceAmount,
  };
}

function whenSent(p: Unclaimed, { purpose, txid, state }: EventOf<'evm.sent'>, now: Clocks): Fact | 'stay' {
  if (purpose === 'lock') return txid === p.sent && state.is === 'gone' ? lockGone(now) : 'stay';
  if (purpose !== 'relay-claim' || p.at === 'locked' || txid !== p.relay.txid) return 'stay';
  if (state.is === 'gone') return again(p, 0, 'the transaction was dropped');
  if (state.is === 'mined' && !state.ok) return again(p, 1, 'the claim was reverted on the chain');
  const relay = followed(p.relay, state);
  return relay === null ? 'stay' : { fact: 'next', next: { at: 'relayed', ...claimableOf(p), relay } };
}

/** Reverted or dropped: our lock is as it was, and a later request claims again. */
function again(p: Stage<'relaying' | 'relayed'>, reverts: number, refusal: string): Fact {
  return { fact: 'next', next: { at: 'locked', ...lockedOf(p), reverts: p.reverts + reverts, refusal } };
}

/** A relay that is not signed yet stays undone: it would come behind our refund. */
function takeBack(t: T, p: Unclaimed, relay: Relay | null, backing: Backing): Fact {
  return {
    fact: 'next',
    next: { at: 'refunding', refundTxid: null, relay, ...lockedOf(p) },
    along: { effects: [refundEffect(t, backing)], interrupts: true },
  };
}
