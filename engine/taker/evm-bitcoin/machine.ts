import { chainIdOf } from '../../domain/chain.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { type Clocks, type Unix } from '../../domain/time.ts';
import type { Effect, Event, Machine, Outcome, Watch } from '../../swap/machine.ts';
import { clientMachine, repeated, whileLocked } from '../client.ts';
import { whenFunding, whenWaiting } from '../evm-source/funding.ts';
import { lockNow, whenAsking, whenLocked, whenLockSeen, whenRefunding, type Redeemed } from '../evm-source/locked.ts';
import { awaiting, type Dealt, type EvmSourceProgress } from '../evm-source/terms.ts';
import { evmSourceDeadline, evmSourceWatches, lockWatch, providerWatch } from '../evm-source/watches.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import type { BitcoinLeg } from '../terms.ts';
import { lose, whenClaiming, whenCoinSeen } from './claiming.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import { evmBitcoinSteps } from './steps.ts';
import {
  isLeft,
  nothingPaidOut,
  payoutOf,
  windowOf,
  type Base,
  type Payout,
  type TakeEvmBitcoinProgress,
  type TakeEvmBitcoinTerms,
} from './terms.ts';
import { verifyEvmBitcoin } from './verify.ts';

/**
 * The client's half of an EVM chain to Bitcoin: tokens of our account are locked by our signature, the provider pays an
 * HTLC on the Bitcoin chain, and we claim it with a secret of ours, by which the provider has the tokens. What it does
 * not take comes back: with its signature when it is out of the swap, alone from the timelock on.
 *
 * Loses money when wrong: the secret shown for a coin that is short, shallow, or about to be taken back; a claim given
 * up once the secret has left us; a lock of ours that nobody takes back.
 */
type T = TakeEvmBitcoinTerms;
type P = TakeEvmBitcoinProgress;
type Source = EvmSourceProgress<BitcoinLeg>;
type Open = P & { at: 'waiting' | 'funding' | 'locked' | 'asking' | 'refunding' };

export function takeEvmBitcoinEffects(t: T): Effect[] {
  const body = {
    btc_htlc_script_version: 1,
    claim_pk: toHex(t.key),
    evm_chain_id: chainIdOf(t.chain),
    hash_lock: `0x${toHex(t.hash)}`,
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    amount_out: Number(t.targetAmount),
    gasless: t.gasless,
  };
  return createAt(t, 'evm-bitcoin', body);
}

/** What is known of the provider's side stays, whatever becomes of our lock. */
function beside(outcome: Outcome<Source>, payout: Payout): Outcome<P> {
  return outcome === 'stay' ? 'stay' : { ...outcome, progress: { ...outcome.progress, ...payoutOf(payout) } };
}

/**
 * The secret is ours alone until we show it: the provider has it from a life of this node that this database forgot.
 */
function redeemed(p: Open, dealt: Dealt<BitcoinLeg>, { txid }: Redeemed): Outcome<P> {
  const base: Base = { ...dealt, ...payoutOf(p), takenBy: txid };
  if (p.takenBack) return lose(base);
  return p.at === 'locked' && p.takenBy === txid
    ? 'stay'
    : { progress: { at: 'locked', notBefore: null, declined: null, ...base }, effects: [], supersedes: true };
}

function whenLockIsSeen(t: T, p: Open, event: Event & { is: 'evm.seen' }, now: Clocks): Outcome<P> {
  // The block in which it was taken is gone.
  if (p.at === 'locked' && p.takenBy !== null && lockNow(t, p, event.locks)?.state.is === 'active')
    return { progress: { ...p, takenBy: null }, effects: [] };
  const taken: { by: Outcome<P> | null } = { by: null };
  const outcome = whenLockSeen<BitcoinLeg, never>(t, p, event, now, {
    window: windowOf(t),
    redeemed(dealt, state) {
      taken.by = redeemed(p, dealt, state);
      return 'stay';
    },
  });
  return taken.by ?? beside(outcome, p);
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'creating':
      return whenCreating(t, event, now, {
        verify: (record) => verifyEvmBitcoin(record, t, now),
        begin: (deal): P => ({ ...awaiting(deal), ...nothingPaidOut }),
      });
    case 'claiming':
      return whenClaiming(t, p, event, now);
    case 'refused':
    case 'refunded':
    case 'lapsed':
    case 'claimed':
    case 'lost':
      return 'stay';
    default:
      if (event.is === 'evm.seen') return whenLockIsSeen(t, p, event, now);
  }
  switch (p.at) {
    case 'waiting':
      return beside(whenWaiting<BitcoinLeg>(t, p, event, now, windowOf(t)), p);
    case 'funding':
      return beside(whenFunding<BitcoinLeg>(t, p, event, now), p);
    case 'locked':
      if (event.is === 'htlc.seen') return whenCoinSeen(t, p, event, now);
      // What the provider has already cannot come back.
      return p.takenBy === null ? beside(whenLocked<BitcoinLeg>(t, p, event, now), p) : 'stay';
    case 'asking':
      return beside(
        whenAsking<BitcoinLeg>(t, p, event, now),
        event.is === 'provider.relayed' ? { ...payoutOf(p), relayed: true } : p,
      );
    case 'refunding':
      return beside(whenRefunding<BitcoinLeg>(p, event), p);
  }
}

function coinWatch({ deal: { target }, coin }: Base): Watch {
  const { htlc: terms, script, since, amount } = target;
  const agreed = { least: amount, most: amount };
  return { on: 'htlc', terms, script, since, agreed, coins: coin === null ? [] : [coin] };
}

function watches(t: T, p: P): Watch[] {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'claimed':
    case 'lost':
      return [];
    case 'claiming':
      return [coinWatch(p), lockWatch(t, p), providerWatch(t, p)];
    case 'locked':
      return isLeft(p) ? evmSourceWatches(t, p) : [coinWatch(p), ...evmSourceWatches(t, p)];
    default:
      return evmSourceWatches(t, p);
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'refused':
    case 'claiming':
    case 'claimed':
    case 'lost':
      return null;
    default:
      return evmSourceDeadline(p, windowOf(t).pay);
  }
}

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'creating':
    case 'waiting':
    case 'refused':
    case 'lapsed':
      return unpaidStatus(p);
    case 'funding':
      return 'clientfundingseen';
    case 'locked':
    case 'asking':
    case 'refunding':
      return p.takenBack ? 'clientfundedserverrefunded' : repeated(p.said, whileLocked);
    case 'claiming':
      return 'clientredeeming';
    case 'claimed':
      return p.takenBy === null ? 'clientredeemed' : 'serverredeemed';
    case 'refunded':
      return p.takenBack ? 'clientrefundedserverrefunded' : 'clientrefunded';
    case 'lost':
      return 'clientfundedserverrefunded';
  }
}

const over: ReadonlySet<P['at']> = new Set(['refused', 'claimed', 'refunded', 'lapsed', 'lost']);

export const takeEvmBitcoin: Machine<T, P> = clientMachine(
  { name: 'take-evm-bitcoin', shape, step, watches, deadline, status, open: (_, p) => !over.has(p.at), rescue },
  evmBitcoinSteps,
);
