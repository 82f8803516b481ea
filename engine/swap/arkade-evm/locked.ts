import type { Clocks, Unix } from '../../domain/time.ts';
import { timelockPassed } from '../../legs/evm/timelocks.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../machine.ts';
import { lockGone, straysSeen } from './locking.ts';
import { refundEffect, whenReturned } from './refunding.ts';
import { mistaken, ownLock, redeemed } from './seen.ts';
import { claimableOf, followed, lockedOf, type ArkadeEvmProgress, type ArkadeEvmTerms, type Relay } from './terms.ts';
import { mostReverts } from '../most-reverts.ts';

type P = ArkadeEvmProgress;
type T = ArkadeEvmTerms;
type Standing = P & { at: 'locked' | 'relaying' | 'relayed' };

/** Our lock stands: the client claims it, by itself or through us, or we take it back after its timelock. */
export function whenLocked(t: T, p: Standing, event: Event, now: Clocks): Outcome<P> {
  const relay = p.at === 'locked' ? null : p.relay;
  const lock = ownLock(t, event);
  if (lock !== null) {
    const claim = redeemed(t, lock, p, relay);
    if (claim !== null) return claim;
    if (lock.state.is === 'refunded')
      return whenReturned(t, { ...lockedOf(p), refundTxid: null, relay }, lock) ?? 'stay';
    if (p.at === 'relaying' && mistaken(p, event)) return again(p, 0, 'our lock was not there for a moment');
    // Mined again in another block after a reorganisation.
    return lock.txid === p.fundTxid ? 'stay' : move<P>({ ...p, fundTxid: lock.txid });
  }
  switch (event.is) {
    case 'clock':
      return timelockPassed(Number(t.lock.timelock) as Unix, now, t.network) ? takeBack(t, p, relay) : 'stay';
    case 'claim.requested':
      return p.at === 'locked' ? relayClaim(t, p, event, now) : 'stay';
    case 'evm.prepared':
      return p.at === 'relaying' && event.purpose === 'relay-claim'
        ? move<P>({ at: 'relaying', ...claimableOf(p), relay: { txid: event.txid } })
        : 'stay';
    case 'evm.stands':
      return p.at === 'relaying' && event.purpose === 'relay-claim' && p.relay.txid === null
        ? move<P>({ ...p, halted: now.wall })
        : 'stay';
    case 'evm.refused':
      return p.at === 'relaying' && event.purpose === 'relay-claim' && p.relay.txid === null
        ? again(p, 0, event.reason)
        : 'stay';
    case 'evm.sent':
      return whenSent(t, p, event, now);
    default:
      return straysSeen(p, event);
  }
}

/** The secret is saved for the relay and opens nothing else: only a claim on chain does. */
function relayClaim(t: T, p: P & { at: 'locked' }, event: Event & { is: 'claim.requested' }, now: Clocks): Outcome<P> {
  const preimage = preimageMatches(t.hash, event.secret);
  const late = timelockPassed(Number(t.lock.timelock) as Unix, now, t.network);
  if (preimage === null || late || p.reverts >= mostReverts) return 'stay';
  const relaying = move<P>({ at: 'relaying', ...claimableOf(p), relay: { txid: null } }, relayEffect(t, event));
  return { ...relaying, learned: preimage };
}

/** The client's claim, as it signed it. */
export function relayEffect(t: T, event: Event & { is: 'claim.requested' }): Effect {
  const { network, contracts, lock, sourceAmount } = t;
  const { calls, sweepToken, minAmountOut, destination, signature } = event;
  return {
    do: 'evm.send',
    network,
    contracts,
    act: { is: 'relay-claim', lock, calls, sweepToken, minAmountOut, destination, signature },
    deadline: Number(lock.timelock) as Unix,
    value: sourceAmount,
  };
}

function whenSent(t: T, p: Standing, { purpose, txid, state }: Event & { is: 'evm.sent' }, now: Clocks): Outcome<P> {
  if (purpose === 'lock') return txid === p.sent && state.is === 'gone' ? lockGone(t, p, now) : 'stay';
  if (purpose !== 'relay-claim' || p.at === 'locked' || txid !== p.relay.txid) return 'stay';
  if (state.is === 'gone') return again(p, 0, 'the transaction was dropped');
  if (state.is === 'mined' && !state.ok) return again(p, 1, 'the claim was reverted on the chain');
  const relay = followed(p.relay, state);
  return relay === null ? 'stay' : move<P>({ at: 'relayed', ...claimableOf(p), relay });
}

/** Reverted or dropped: our lock is as it was, and a later request claims again. */
function again(p: P & { at: 'relaying' | 'relayed' }, reverts: number, refusal: string): Step<P> {
  return move<P>({ at: 'locked', ...lockedOf(p), reverts: p.reverts + reverts, refusal });
}

/** A relay that is not signed yet stays undone: it would come behind our refund. */
function takeBack(t: T, p: Standing, relay: Relay | null): Step<P> {
  const step = move<P>({ at: 'refunding', refundTxid: null, relay, ...lockedOf(p) }, refundEffect(t));
  return { ...step, interrupts: true };
}
