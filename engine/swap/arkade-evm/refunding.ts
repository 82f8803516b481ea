import { furthest, seconds, unix, type Clocks } from '../../domain/time.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { SeenLock } from '../../legs/evm/events.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { latestByChain } from '../../legs/timelocks.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../machine.ts';
import { ownCoins } from '../vhtlc-source/terms.ts';
import { lockGone, straysSeen } from './locking.ts';
import { isBuried, mistaken, ownLock, redeemed } from './seen.ts';
import { type ArkadeEvmProgress, type ArkadeEvmTerms, type Refunding } from './terms.ts';

type P = ArkadeEvmProgress;
type T = ArkadeEvmTerms;

/** Takes our lock back. It must be ours again before the client can take the VHTLC, or the client has both. */
export function refundEffect(t: T): Effect {
  const { network, contracts, lock, sourceAmount, vhtlc, policy } = t;
  return {
    do: 'evm.send',
    network,
    contracts,
    act: { is: 'refund', lock },
    deadline: unix(Math.max(0, vhtlc.refundLocktime - policy.mtpLag - policy.margin)),
    value: sourceAmount,
  };
}

/** Our refund is on its way; a claim that came first wins. */
export function whenRefunding(t: T, p: Refunding, event: Event, now: Clocks): Outcome<P> {
  const lock = ownLock(t, event);
  if (lock !== null) return whenLockSeen(t, p, lock, event, now);
  switch (event.is) {
    case 'evm.prepared':
      return event.purpose === 'refund' ? signed(p, event.txid) : 'stay';
    case 'evm.stands':
      return event.purpose === 'refund' && p.refundTxid === null ? move<P>({ ...p, halted: now.wall }) : 'stay';
    case 'evm.sent':
      return whenSent(t, p, event, now);
    default:
      return straysSeen(p, event);
  }
}

function signed({ halted: _, ...p }: Refunding, refundTxid: Txid): Step<P> {
  return move<P>({ ...p, refundTxid });
}

function whenLockSeen(t: T, p: Refunding, lock: SeenLock, event: Event, now: Clocks): Outcome<P> {
  if (lock.state.is === 'redeemed') return whenRedeemed(t, p, lock, now);
  const { redeemTxid, halted, ...rest } = p;
  if (lock.state.is === 'refunded') return whenReturned(t, rest, lock) ?? 'stay';
  if (mistaken(p, event)) return move<P>(rest, refundEffect(t));
  // The claim that was there is gone with its block: our refund is what there is.
  return redeemTxid === undefined ? 'stay' : move<P>(halted === undefined ? rest : { ...rest, halted });
}

/**
 * A claim in a block that could still go away, with a refund of ours signed, which would take its place: then both legs
 * were ours. It opens the VHTLC once it is buried, or once that can wait no longer (facts/faults.md 40).
 */
function whenRedeemed(t: T, p: Refunding, lock: SeenLock, now: Clocks): Outcome<P> {
  const { state } = lock;
  if (state.is !== 'redeemed') return 'stay';
  if (p.refundTxid === null || isBuried(t, state) || cannotWait(t, now)) return redeemed(t, lock, p, p.relay) ?? 'stay';
  const preimage = preimageMatches(t.hash, state.preimage);
  if (preimage === null || p.redeemTxid === state.txid) return 'stay';
  return { ...move<P>({ ...p, redeemTxid: state.txid }), learned: preimage };
}

/** Half of the margin is left until the client may take the VHTLC back: a chain that stands still must not cost us both. */
function cannotWait({ vhtlc, policy }: T, now: Clocks): boolean {
  const { mtp } = furthest(now.bitcoin);
  if (mtp === null) return false;
  const spare = seconds(Math.floor(policy.margin / 2));
  return latestByChain({ ...now.bitcoin, mtp }, policy) + spare >= vhtlc.refundLocktime;
}

/** Ours again for good: only now may the client's refund be signed. */
export function whenReturned(t: T, p: Omit<Refunding, 'at' | 'redeemTxid'>, { txid, state }: SeenLock): Step<P> | null {
  if (state.is !== 'refunded' || !isBuried(t, state)) return null;
  const returned: P = {
    at: 'returned',
    reason: 'the client did not claim in time',
    fenced: false,
    strays: ownCoins(t, p),
    fundTxid: txid,
    returnTxid: state.txid,
  };
  return { progress: returned, effects: [], supersedes: true };
}

function whenSent(t: T, p: Refunding, { purpose, txid, state }: Event & { is: 'evm.sent' }, now: Clocks): Outcome<P> {
  if (purpose === 'lock' && txid === p.sent && state.is === 'gone') return lockGone(t, p, now);
  if (purpose === 'relay-claim' && txid === p.relay?.txid && state.is === 'mined' && p.relay.by !== state.by)
    return move<P>({ ...p, relay: { txid, by: state.by } });
  if (purpose !== 'refund' || txid !== p.refundTxid) return 'stay';
  const failed = state.is === 'gone' || (state.is === 'mined' && !state.ok && isBuried(t, state));
  // Whatever took its place is seen at the lock; where nothing did, it is tried again.
  return failed ? move<P>({ ...p, refundTxid: null }, refundEffect(t)) : 'stay';
}
