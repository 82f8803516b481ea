import { checksummed } from '../../../../domain/evm-address.ts';
import { hasPassed, hour, type Clocks } from '../../../../domain/time.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import { move, type Event, type Outcome, type Step, type EventOf } from '../../../machine.ts';
import { mostReverts } from '../most-reverts.ts';
import { relayEffect } from './locked.ts';
import { isBuried, mistaken, ownLock } from './seen.ts';
import { followed, type EvmTargetTerms as T, type Revealed, type Shallow } from './terms.ts';

type Open = Revealed & { readonly shallow: Shallow };

/** How long our lock stands again with nothing on its way before the owner is told. */
const patience = hour;

/**
 * What the client gave is being claimed: which transaction claimed our lock is told. Null: the event does not concern
 * it.
 */
export function whileClaiming<S extends Revealed>(t: T, p: S, event: Event): Outcome<S> | null {
  const state = ownLock(t, event)?.state;
  if (state?.is === 'redeemed') return state.txid === p.redeemTxid ? 'stay' : move<S>({ ...p, redeemTxid: state.txid });
  if (state?.is === 'refunded') return { progress: p, effects: [], flag: takenBack(t) };
  if (event.is !== 'evm.sent' || event.purpose !== 'relay-claim' || event.state.is !== 'mined') return null;
  return p.relay === null || event.txid !== p.relay.txid || p.relay.by === event.state.by
    ? 'stay'
    : move<S>({ ...p, relay: { txid: event.txid, by: event.state.by } });
}

/** Our claim is final: a relay that is not signed yet is dropped. */
export function onceClaimed({ relay, ...p }: Revealed): Revealed {
  return { ...p, relay: relay?.txid === null ? null : relay, shallow: { reverts: 0 } };
}

/**
 * What the client gave is ours. Until its claim is buried a reorganisation may take it: our lock then stands again, is
 * never taken back, and is claimed once more when the client asks (facts/faults.md 15). Null: the event does not
 * concern it.
 */
export function whileShallow<S extends Open>(t: T, p: S, event: Event, now: Clocks): Outcome<S> | null {
  const { shallow } = p;
  const isAsked = p.relay?.txid === null;
  switch (event.is) {
    case 'evm.seen':
      return event.network === t.network ? whenLooked(t, p, event, now) : 'stay';
    case 'claim.requested':
      return relayAgain(t, p, event);
    case 'evm.prepared':
      return isAsked && event.purpose === 'relay-claim'
        ? move<S>({ ...p, relay: { txid: event.txid }, shallow: lookedAt(shallow) })
        : 'stay';
    case 'evm.already-done':
      return isAsked && event.purpose === 'relay-claim'
        ? move<S>({ ...p, shallow: { ...shallow, halted: now.wall } })
        : 'stay';
    case 'evm.refused':
      return isAsked && event.purpose === 'relay-claim' ? relayFailed(p, 0, event.reason, now) : 'stay';
    case 'evm.sent':
      return whenSent(p, event, now);
    default:
      return null;
  }
}

function whenLooked<S extends Open>(t: T, p: S, event: EventOf<'evm.seen'>, now: Clocks): Outcome<S> {
  const state = ownLock(t, event)?.state;
  const doubtful = p.relay?.txid === null && mistaken(p.shallow, event);
  if (state?.is === 'redeemed') {
    if (isBuried(t, state)) return closed({ ...p, redeemTxid: state.txid });
    const { missing, ...shallow } = p.shallow;
    if (missing === undefined && !doubtful && p.redeemTxid === state.txid) return 'stay';
    const back = { ...p, redeemTxid: state.txid, shallow };
    return move<S>(doubtful ? { ...back, relay: null, shallow: lookedAt(shallow) } : back);
  }
  if (state?.is === 'refunded') return isBuried(t, state) ? { ...closed(p), flag: takenBack(t) } : 'stay';
  if (doubtful) return relayFailed(p, 0, 'our lock was not there for a moment', now);
  const { missing, flagged } = p.shallow;
  if (missing === undefined) return move<S>({ ...p, shallow: { ...p.shallow, missing: now.wall } });
  if (flagged === true || p.relay !== null || !hasPassed(patience, missing, now.wall)) return 'stay';
  return {
    progress: { ...p, shallow: { ...p.shallow, flagged: true } },
    effects: [],
    flag:
      `A reorganisation of ${t.network} took the client's claim, and nothing brings it back: ${due(t)}. We have ` +
      `what the client gave and do not take our lock back. ${howClaimed(p.shallow)}`,
  };
}

function howClaimed({ reverts }: Shallow): string {
  return reverts >= mostReverts
    ? 'Too many relays of it failed, and no more are made: see that the client claims by a transaction of its own, ' +
        'or pay it by hand.'
    : 'The claim is relayed when the client asks again: see that it does.';
}

/**
 * The secret is out: it is late for nothing, and the lock is claimed after its timelock too, for we never take it back.
 */
function relayAgain<S extends Open>(t: T, p: S, event: EventOf<'claim.requested'>): Outcome<S> {
  const { missing, reverts } = p.shallow;
  if (missing === undefined || p.relay !== null || reverts >= mostReverts) return 'stay';
  if (preimageMatches(t.hash, event.secret) === null) return 'stay';
  return move<S>({ ...p, relay: { txid: null } }, relayEffect(t, event, null));
}

function whenSent<S extends Open>(p: S, { purpose, txid, state }: EventOf<'evm.sent'>, now: Clocks): Outcome<S> {
  if (purpose !== 'relay-claim' || p.relay === null || txid !== p.relay.txid) return 'stay';
  if (state.is === 'gone') return relayFailed(p, 0, 'the transaction was dropped', now);
  if (state.is === 'mined' && !state.ok) return relayFailed(p, 1, 'the claim was reverted on the chain', now);
  const relay = followed(p.relay, state);
  return relay === null ? 'stay' : move<S>({ ...p, relay });
}

/** A later request claims again; the owner is told when none comes. */
function relayFailed<S extends Open>(p: S, reverts: number, refusal: string, now: Clocks): Step<S> {
  const { missing, ...shallow } = lookedAt(p.shallow);
  return move<S>({
    ...p,
    relay: null,
    shallow: {
      ...shallow,
      reverts: shallow.reverts + reverts,
      refusal,
      ...(missing === undefined ? {} : { missing: now.wall }),
    },
  });
}

function lookedAt({ halted: _, ...shallow }: Shallow): Shallow {
  return shallow;
}

/** The end of our lock cannot be undone any more: a relay that is not signed yet stays undone. */
function closed<S extends Open>({ shallow: _, ...others }: S): Step<S> {
  const p = others as unknown as S;
  return p.relay?.txid === null ? { ...move<S>({ ...p, relay: null }), supersedes: true } : move<S>(p);
}

function due({ lock }: T): string {
  return (
    `${lock.amount} units of the token ${checksummed(lock.token)} in our lock are due to ` +
    `${checksummed(lock.claimAddress)}`
  );
}

/** A refund of ours that was on its way before the client claimed was mined instead. */
function takenBack(t: T): string {
  return (
    `Our refund took the place of the client's claim on ${t.network}: the lock is due to ` +
    `${checksummed(t.lock.claimAddress)}, pay it out by hand.`
  );
}
