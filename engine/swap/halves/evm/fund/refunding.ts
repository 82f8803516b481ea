import { isHeight, type Clocks } from '../../../../domain/time.ts';
import type { Txid } from '../../../../domain/outpoint.ts';
import { hasFailed, type SeenLock } from '../../../../legs/evm/events.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { Backing, Surety } from '../../surety.ts';
import { move, type Effect, type Event, type Step, type EventOf } from '../../../machine.ts';
import { lockGone } from './locking.ts';
import { isBuried, mistaken, ownLock, redeemed } from './seen.ts';
import type { EvmTargetTerms as T, Stage, Moved, Fact, Reply } from './terms.ts';

type Refunding = Stage<'refunding'>;

/**
 * Takes our lock back. It must be ours again before the client can take back what it gave, or the client has both.
 * Where that ends at a height it is hurried from its timelock on.
 */
export function refundEffect(t: T, { back }: Pick<Surety, 'back'>): Effect {
  const { network, contracts, lock, sourceAmount } = t;
  const deadline = isHeight(back) ? lockEnd(t) : back;
  return { do: 'evm.send', network, contracts, act: { is: 'refund', lock }, deadline, value: sourceAmount };
}

/** One that the account's queue has still is found again by the act; none beside a claim of the client's. */
export function resumeRefund(t: T, p: Refunding, backing: Backing): readonly Effect[] {
  return p.redeemTxid === undefined ? [refundEffect(t, backing)] : [];
}

/** Our refund is on its way; a claim that came first wins. */
export function whenRefunding<S extends Refunding>(t: T, p: S, event: Event, now: Clocks, backing: Backing): Reply<S> {
  const lock = ownLock(t, event);
  if (lock !== null) return whenLockSeen(t, p, lock, event, now, backing);
  switch (event.is) {
    case 'evm.prepared':
      return event.purpose === 'refund' ? signed(p, event.txid) : 'stay';
    case 'evm.already-done':
      return event.purpose === 'refund' && p.refundTxid === null ? move<S>({ ...p, halted: now.wall }) : 'stay';
    case 'evm.sent':
      return whenSent(t, p, event, now, backing);
    default:
      return null;
  }
}

function signed<S extends Refunding>({ halted: _, ...p }: S, refundTxid: Txid): Step<S> {
  return move<S>({ ...p, refundTxid } as unknown as S);
}

function whenLockSeen<S extends Refunding>(
  t: T,
  p: S,
  lock: SeenLock,
  event: Event,
  now: Clocks,
  backing: Backing,
): Moved<S> {
  if (lock.state.is === 'redeemed') return whenRedeemed(t, p, lock, now, backing);
  const { redeemTxid, halted, ...others } = p;
  const rest = others as unknown as S;
  if (lock.state.is === 'refunded') return whenReturned(t, lock) ?? 'stay';
  if (mistaken(p, event)) return move<S>(rest, refundEffect(t, backing));
  // The claim that was there is gone with its block: our refund is what there is.
  return redeemTxid === undefined ? 'stay' : move<S>(halted === undefined ? rest : { ...rest, halted });
}

/**
 * A claim in a block that could still go away, with a refund of ours signed, which would take its place: then both legs
 * were ours. It opens what the client gave once it is buried, or once that can wait no longer (facts/faults.md 40).
 */
function whenRedeemed<S extends Refunding>(t: T, p: S, lock: SeenLock, now: Clocks, { cannotWait }: Backing): Moved<S> {
  const { state } = lock;
  if (state.is !== 'redeemed') return 'stay';
  if (p.refundTxid === null || isBuried(t, state) || cannotWait(now))
    return redeemed(t, lock, p.sent, p.relay) ?? 'stay';
  const preimage = preimageMatches(t.hash, state.preimage);
  if (preimage === null || p.redeemTxid === state.txid) return 'stay';
  return { ...move<S>({ ...p, redeemTxid: state.txid }), learned: preimage };
}

/** Ours again for good: only now may the client's refund be signed. */
export function whenReturned(t: T, { txid, state }: SeenLock): Fact | null {
  if (state.is !== 'refunded' || !isBuried(t, state)) return null;
  return {
    fact: 'returned',
    reason: 'the client did not claim in time',
    returned: { fundTxid: txid, returnTxid: state.txid },
    along: { supersedes: true },
  };
}

function whenSent<S extends Refunding>(
  t: T,
  p: S,
  { purpose, txid, state }: EventOf<'evm.sent'>,
  now: Clocks,
  backing: Backing,
): Moved<S> {
  if (purpose === 'lock' && txid === p.sent && state.is === 'gone') return lockGone(now);
  if (purpose === 'relay-claim' && txid === p.relay?.txid && state.is === 'mined' && p.relay.by !== state.by)
    return move<S>({ ...p, relay: { txid, by: state.by } });
  if (purpose !== 'refund' || txid !== p.refundTxid) return 'stay';
  // Whatever took its place is seen at the lock; where nothing did, it is tried again.
  return hasFailed(state, t.burial) ? move<S>({ ...p, refundTxid: null }, refundEffect(t, backing)) : 'stay';
}
