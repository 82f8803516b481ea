import { chainIdOf } from '../../domain/chain.ts';
import { checksummed } from '../../domain/evm-address.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import type { Effect, Event, Machine, Outcome, Watch } from '../../swap/machine.ts';
import { clientMachine, repeated, whilePaid } from '../client.ts';
import { whenFunding, whenWaiting } from '../evm-source/funding.ts';
import { whenAsking, whenLocked, whenLockSeen, whenRefunding, type Redeemed } from '../evm-source/locked.ts';
import { awaiting, type Dealt, type Window } from '../evm-source/terms.ts';
import { evmSourceDeadline, evmSourceWatches } from '../evm-source/watches.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import type { LightningLeg } from '../terms.ts';
import { payableUntil } from './payable.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import { evmLightningSteps } from './steps.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';
import { verifyEvmLightning } from './verify.ts';

/**
 * The client's half of an EVM chain to Lightning: tokens of our account are locked by our signature, the provider pays
 * the invoice and takes the lock with the preimage that proves it. What it does not take comes back: with its signature
 * when it is out of the swap, alone from the timelock on.
 *
 * Loses money when wrong: a lock of other terms than those that were verified; a second one for the same swap; one that
 * nobody takes back.
 */
type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;

export function takeEvmLightningEffects(t: T): Effect[] {
  const body = {
    evm_chain_id: chainIdOf(t.chain),
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
    gasless: t.gasless,
  };
  return createAt(t, 'evm-lightning', body);
}

function windowOf(p: Dealt<LightningLeg>): Window {
  return { pay: payableUntil(p), over: p.deal.target.expiresAt };
}

/** The payee alone gave it, and gave it for the payment. */
function paid(p: Dealt<LightningLeg>, { txid, preimage }: Redeemed): Outcome<P> {
  return { progress: { at: 'paid', claimTxid: txid, ...p }, effects: [], supersedes: true, learned: preimage };
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'creating':
      return whenCreating(t, event, now, {
        verify: (record) => verifyEvmLightning(record, t, now),
        begin: (deal): P => awaiting(deal),
      });
    case 'refused':
    case 'paid':
    case 'refunded':
    case 'lapsed':
      return 'stay';
    default:
      if (event.is === 'evm.seen') return whenLockSeen(t, p, event, now, { window: windowOf(p), redeemed: paid });
  }
  switch (p.at) {
    case 'waiting':
      return whenWaiting(t, p, event, now, windowOf(p));
    case 'funding':
      return whenFunding(t, p, event, now);
    case 'locked':
      return whenLocked(t, p, event, now);
    case 'asking':
      return whenAsking(t, p, event, now);
    case 'refunding':
      return whenRefunding(p, event);
  }
}

function watches(t: T, p: P): Watch[] {
  return p.at === 'creating' || p.at === 'refused' || p.at === 'paid' ? [] : evmSourceWatches(t, p);
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'refused':
    case 'paid':
      return null;
    default:
      return evmSourceDeadline(p, payableUntil(p));
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
      return repeated(p.said, whilePaid);
    case 'paid':
      return 'serverredeemed';
    case 'refunded':
      return 'clientrefunded';
  }
}

const over: ReadonlySet<P['at']> = new Set(['refused', 'paid', 'refunded', 'lapsed']);

export const takeEvmLightning: Machine<T, P> = clientMachine(
  { name: 'take-evm-lightning', shape, step, watches, deadline, status, open: (_, p) => !over.has(p.at), rescue },
  evmLightningSteps,
);
