import { chainIdOf } from '../../domain/chain.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import { move, type Effect, type Event, type Machine, type Outcome, type Watch } from '../../swap/machine.ts';
import { hasUnspent } from '../../swap/halves/extra-coins.ts';
import { clientMachine, repeated, whileLocked } from '../client.ts';
import type { EvmLeg } from '../evm/terms.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import { lockOpen, whenAsking, whenFunded, whenRefunding } from '../vhtlc-source/refunding.ts';
import { whenCoinsSeen } from '../vhtlc-source/seen.ts';
import { cancelled, type VhtlcSourceProgress } from '../vhtlc-source/terms.ts';
import { sourceWatches } from '../vhtlc-source/watches.ts';
import { baseOf, claimDeadline, whenArrived, whenClaiming, whenLockSeen } from './claiming.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import { arkadeEvmSteps } from './steps.ts';
import { nothingLocked, targetOf, type TakeArkadeEvmProgress, type TakeArkadeEvmTerms, type Target } from './terms.ts';
import { verifyArkadeEvm } from './verify.ts';

/**
 * The client's half of Arkade to an EVM chain: we fund a VHTLC, the provider locks tokens, and we claim them with a
 * secret of ours, through the provider or by our own transaction.
 *
 * Loses money when wrong: the secret shown for a lock that is short, shallow, of other terms, or about to be taken
 * back; a claim given up once the secret has left us; a coin of ours that nobody takes back before it expires.
 */
type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;
type Source = VhtlcSourceProgress<EvmLeg>;

export function takeArkadeEvmEffects(t: T): Effect[] {
  const body = {
    arkade_htlc_script_version: 1,
    claiming_address: checksummed(t.account),
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    refund_pk: toHex(t.key),
    target_address: checksummed(t.destination),
    token_address: checksummed((t.exchange?.token ?? t.pegged).address),
    user_id: t.userId,
    amount_in: Number(t.sourceAmount),
    gasless: t.gasless,
  };
  return createAt(t, 'arkade-evm', body);
}

/** What is known of the provider's lock stays, whatever becomes of our coins. */
function beside(outcome: Outcome<Source>, target: Target): Outcome<P> {
  return outcome === 'stay' ? 'stay' : { ...outcome, progress: { ...outcome.progress, ...targetOf(target) } };
}

/** A refund is never begun while the secret is out, and a coin that the provider takes for it is the provider's. */
function whenCoinsOfClaim(
  t: T,
  p: P & { at: 'claiming' | 'claimed' },
  event: Event & { is: 'vhtlc.seen' },
  now: Clocks,
): Outcome<P> {
  const outcome = whenCoinsSeen<EvmLeg>(t, { ...baseOf(p), at: 'funded', notBefore: null, declined: null }, event, now);
  if (outcome === 'stay') return 'stay';
  const { coins, expiresAt, proof } = outcome.progress;
  if (p.at === 'claimed' && proof !== null) return { ...outcome, progress: { ...outcome.progress, ...targetOf(p) } };
  return { ...outcome, progress: { ...p, coins, expiresAt, proof } };
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  if (p.at === 'creating')
    return whenCreating(t, event, now, {
      verify: (record) => verifyArkadeEvm(record, t, now),
      begin: (deal): P => ({
        at: 'waiting',
        deal,
        said: 'pending',
        coins: [],
        expiresAt: null,
        proof: null,
        ...nothingLocked,
      }),
    });
  if (p.at === 'refused') return 'stay';
  if (event.is === 'vhtlc.seen')
    return p.at === 'claiming' || p.at === 'claimed'
      ? whenCoinsOfClaim(t, p, event, now)
      : beside(whenCoinsSeen<EvmLeg>(t, p, event, now), p);
  if (event.is === 'evm.arrived') return whenArrived(p, event);
  switch (p.at) {
    case 'waiting':
      if (event.is === 'evm.seen') return whenLockSeen(t, p, event, now);
      if (event.is === 'cancel.requested') return cancelled(p);
      if (event.is === 'provider.seen') return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
      return event.is === 'clock' && lockOpen(p, now) ? move<P>({ at: 'lapsed', ...baseOf(p) }) : 'stay';
    case 'funded':
      return event.is === 'evm.seen' ? whenLockSeen(t, p, event, now) : beside(whenFunded<EvmLeg>(t, p, event, now), p);
    case 'claiming':
      return whenClaiming(t, p, event, now);
    case 'claimed':
      // A coin that the provider never took in all its time is left to it: what we bought is ours.
      return event.is === 'clock' && lockOpen(p, now)
        ? move<P>({ at: 'done', refundTxid: null, over: true, ...baseOf(p) })
        : 'stay';
    case 'asking':
      return beside(whenAsking<EvmLeg>(t, p, event, now), p);
    case 'refunding':
      return beside(whenRefunding<EvmLeg>(t, p, event, now), p);
    case 'done':
      return event.is === 'clock' && !p.over && lockOpen(p, now) ? move<P>({ ...p, over: true }) : 'stay';
    case 'lapsed':
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'creating' || p.at === 'refused') return [];
  const { target } = p.deal;
  const { vhtlc, queue, provider } = sourceWatches(t, p);
  const lock: Watch = {
    on: 'evm-lock',
    network: t.chain,
    htlc: target.contracts.htlc,
    hash: t.hash,
    wanted: { are: 'one', key: swapKey(target.lock) },
    since: t.since,
    agreed: t.agreed,
  };
  switch (p.at) {
    case 'waiting':
      return [vhtlc, lock, provider];
    case 'funded':
      return p.claimTxid === null && !p.takenBack ? [vhtlc, queue, lock, provider] : [vhtlc, queue, provider];
    case 'claiming': {
      const sent: Watch[] =
        p.sent === null ? [] : [{ on: 'evm-sent', network: t.chain, purpose: 'taker-claim', txid: p.sent }];
      return [vhtlc, lock, provider, ...sent];
    }
    case 'asking':
    case 'refunding':
      return [vhtlc, queue];
    default:
      return [vhtlc];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'claiming':
      return claimDeadline(p);
    case 'waiting':
    case 'funded':
    case 'asking':
    case 'claimed':
      return p.deal.source.vhtlc.refundLocktime;
    case 'done':
      return p.over ? null : p.deal.source.vhtlc.refundLocktime;
    default:
      return null;
  }
}

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'creating':
    case 'waiting':
    case 'refused':
    case 'lapsed':
      return unpaidStatus(p);
    case 'claiming':
      return p.claimTxid === null ? 'clientredeeming' : 'clientredeemed';
    case 'claimed':
      return 'clientredeemed';
    case 'funded':
    case 'asking':
    case 'refunding':
      if (p.claimTxid !== null) return p.proof === null ? 'clientredeemed' : 'serverredeemed';
      return repeated(p.said, whileLocked);
    case 'done':
      if (p.claimTxid === null) return 'clientrefunded';
      return p.proof === null ? 'clientredeemed' : 'serverredeemed';
  }
}

function open(_: T, p: P): boolean {
  if (p.at === 'done') return !p.over || (hasUnspent(p.coins) && p.claimTxid === null);
  return p.at !== 'refused' && p.at !== 'lapsed';
}

export const takeArkadeEvm: Machine<T, P> = clientMachine(
  { name: 'take-arkade-evm', shape, step, watches, deadline, status, open, rescue },
  arkadeEvmSteps,
);
