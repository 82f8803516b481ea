import { lockSpan } from '../../../../legs/spans.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { ClaimHalf } from '../../claim.ts';
import type { Event } from '../../../machine.ts';
import { lockToClaim } from '../../../rescue.ts';
import { suretyOf } from '../../surety.ts';
import { claimEffect, resumeClaim, whenBacking, whenClaiming } from './claiming.ts';
import { whileWaiting } from './funding.ts';
import { whenOver, whenStopped } from './over.ts';
import { lockAction, lockDeadline, lockOpen, lockWatches, type SourceState } from './standing.ts';
import {
  deposit,
  sourceFields,
  depositedOf,
  givenBack,
  baseOf,
  isKey,
  nothingAsked,
  type Claiming,
  type Deposit,
  type EvmClaim,
  type EvmSourceTerms,
  type Refunded,
  type Stopped,
} from './terms.ts';

type State = SourceState | { readonly at: 'lapsed' };

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
  watches: (t, p) => (p.at === 'lapsed' ? [] : lockWatches(t, p as unknown as Parameters<typeof lockWatches>[1])),
  deadline: (t, p) => lockDeadline(t, p as State),
  open: (p) => lockOpen(p as State),
  action: (t, p) => lockAction(t, p as State),
  rescue: (t, p) => lockToClaim(t, p.deposit),
  rescueRemaining(t, p) {
    const own = remainingLock(t, p);
    return own && lockToClaim(t, own);
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
