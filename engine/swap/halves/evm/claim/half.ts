import { lockSpan } from '../../../../legs/spans.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { ClaimHalf } from '../../claim.ts';
import type { Event, Watch } from '../../../machine.ts';
import { lockLeg } from '../../../rescue.ts';
import { suretyOf } from '../../surety.ts';
import { claimEffect, resumeClaim, whenBacking, whenClaiming } from './claiming.ts';
import { whileWaiting } from './funding.ts';
import { hasUntaken, wantedOf } from './locks.ts';
import { leftOpen, locksDeadline, whenOver, whenStopped } from './over.ts';
import {
  deposit,
  sourceFields,
  depositedOf,
  givenBack,
  baseOf,
  isKey,
  nothingAsked,
  type Base,
  type Claiming,
  type Deposit,
  type EvmClaim,
  type EvmSourceTerms,
  type ExtraLock,
  type Left,
  type Pending,
  type Refunded,
  type Stopped,
} from './terms.ts';

/** Nothing is left of the swap but locks that are not ours. */
type Over = Base & Left & { readonly extras: readonly ExtraLock[] };
type State =
  | Pending
  | (Over & { readonly at: 'stopped' | 'returned' | 'claimed' | 'lost' | 'refunded' })
  | (Base & { readonly at: 'seen' | 'funded' | 'paying' | 'funding' | 'locked' | 'refunding' | 'claiming' })
  | { readonly at: 'lapsed' };

/** The client locks tokens on an EVM chain, and we claim them. */
export const claimOnEvm: ClaimHalf<EvmSourceTerms, EvmClaim> = {
  leg: 'evm',
  name: 'its lock',
  fields: {
    ...sourceFields,
    waiting: { pending: sourceFields.pending, seen: sourceFields.seen },
    sure: sourceFields.deposited,
    lapsed: {},
    seed: { deposit },
  },
  waiting: whileWaiting,
  kept: depositedOf,
  isLook: ({ is }) => is === 'evm.seen' || is === 'evm.sent',
  backing: whenBacking,
  givenBack: (_, p, why, reason) => givenBack(why, reason, p),
  forgone: (p) => ({ ...depositedOf(p), ...nothingAsked }),
  release: () => [],
  begin: (p) => ({ claimTxid: null, ...depositedOf(p) }),
  take: claimEffect,
  claiming: (t, p, event, _, isPaidBack) =>
    isOfEvm(event) ? whenClaiming(t, p as typeof p & Claiming, event, isPaidBack) : null,
  resume: (t, p) => resumeClaim(t, p as typeof p & Claiming),
  over: (t, p, event, now) => (isOfEvm(event) ? whenOver(t, p, event, now) : null),
  stands: () => false,
  back: (p) => ({ at: 'refunded', ...baseOf(p), ...nothingAsked, extras: p.extras }),
  stopped: whenStopped,
  lapsed: () => 'stay',
  refunded: whenOver,
  isRefund: (event) => event.is === 'evm-refund.requested',
  isUnsure: () => false,
  isBack: () => false,
  isFenced: ({ fenced }) => fenced,
  seed: ({ deposit }) => ({ deposit }),
  resumed: (p, { deposit }) => ({ ...baseOf(p), deposit, extras: p.extras.filter((one) => !isKey(deposit.key)(one)) }),
  remaining(t, p) {
    const own = remainingLock(t, p);
    if (own === null) return null;
    const { lock, key, txid, depositor } = own;
    const deposit = { lock, key, txid, depositor };
    return { ...baseOf(p), deposit, extras: p.extras.filter((extra) => !isKey(key)(extra)) };
  },
  surely(t) {
    const { network, policy } = t;
    const surety = suretyOf(lockSpan(network, lockEnd(t)), Math.floor(policy.margin / 2), policy);
    const { last, cannotWait } = surety;
    return {
      ...surety,
      late: (now) => (cannotWait(now) ? `The lock can be claimed safely only until its chain is at ${last}` : null),
      isPatient: true,
      words: {
        stays: 'The client’s lock stays where it is until its secret or our refund shows.',
        taken: 'its lock is claimed',
        back: 'the client has its lock again',
      },
    };
  },
  sight: (t) => t.confirmations,
  /** The locks of its hash, and each of our transactions that is on its way. */
  watches(t, state) {
    if (state.at === 'lapsed') return [];
    const { sent, extras = [] } = state as unknown as Base & { readonly extras?: readonly ExtraLock[] };
    const { network, hash, since, contracts, agreed } = t;
    const locks = extras.filter((extra) => !extra.taken).map(({ lock }) => lock);
    return [
      { on: 'evm-lock', network, htlc: contracts.htlc, hash, wanted: wantedOf(t), since, agreed, locks },
      ...sent.map(({ purpose, txid }): Watch => ({ on: 'evm-sent', network, purpose, txid })),
    ];
  },
  deadline(t, state) {
    const p = state as State;
    switch (p.at) {
      case 'pending':
        return t.fundBefore; // for the owner's list: the first look after it ends the swap
      case 'seen':
        return t.payBefore;
      case 'stopped':
      case 'claimed':
      case 'lost':
      case 'refunded':
        return locksDeadline(t, p);
      case 'returned':
        return locksDeadline(t, { ...p, at: 'stopped' });
      default:
        return null;
    }
  },
  /** A lock may be made late: it is watched until nothing is owed and the client can help itself. */
  open(state) {
    const p = state as State;
    switch (p.at) {
      case 'claimed':
      case 'lost':
      case 'refunded':
        return leftOpen(p);
      case 'stopped':
      case 'returned':
        return !p.unwatched || p.sent.length > 0;
      case 'lapsed':
        return false;
      default:
        return true;
    }
  },
  action(t, state) {
    const p = state as State;
    switch (p.at) {
      case 'pending':
        return p.relay === null ? 'the client locks its token' : 'the chain takes the funding that we relay';
      case 'seen':
        return 'the chain buries the lock';
      case 'claiming':
        return 'we claim the lock';
      case 'stopped':
      case 'returned':
        return hasUntaken(p.extras)
          ? `the client takes the refund, alone from ${lockEnd(t)} on`
          : 'nothing: it was never funded';
      default:
        return 'nothing: it is over';
    }
  },
  rescue: (t, p) => lockLeg({ network: t.network, contracts: t.contracts, lock: p.deposit.lock, since: t.since }),
  rescueRemaining(t, p) {
    const own = remainingLock(t, p);
    return own && lockLeg({ network: t.network, contracts: t.contracts, lock: own.lock, since: t.since });
  },
};

function isOfEvm({ is }: Event): boolean {
  return is === 'clock' || is.startsWith('evm');
}

/**
 * What a payment that settles late is taken for: the lock that was counted, else any that was made as agreed
 * (facts/faults.md 65). None once we signed a refund of what was counted: the client holds our consent, which closed
 * the claim for good, and a person has to look.
 */
function remainingLock(t: EvmSourceTerms, p: Stopped | Refunded): Deposit | null {
  if (p.at === 'refunded' || p.fenced) return null;
  const { counted, extras } = p;
  // One that is not listed is gone with its block, and may come again with another.
  if (counted !== undefined && extras.find(isKey(counted.key))?.taken !== true) return counted;
  return extras.find(({ taken, lock }) => !taken && lock.amount >= t.least) ?? null;
}
