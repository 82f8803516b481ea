import type { Clocks } from '../../domain/time.ts';
import { safeToLockForCoin } from '../../legs/safety/lock.ts';
import { move, type Event, type Outcome, type Step } from '../machine.ts';
import { whenFunded, whenLooked } from '../onchain-source/funding.ts';
import { fundedOf, ownCoins, stopped, type Funded, type Pending, type Seen } from '../onchain-source/terms.ts';
import { lockEffect, whenReady, type Locking } from '../vhtlc-target/locking.ts';
import { fate } from './fate.ts';
import { lockOf, type BitcoinArkadeProgress, type BitcoinArkadeTerms } from './terms.ts';

type P = BitcoinArkadeProgress;
type T = BitcoinArkadeTerms;
type Ready = P & { at: 'funded' };

/** Waiting for the client's coin; deep enough, it is worth a VHTLC. */
export function whenWaiting(t: T, p: Pending | Seen, event: Event, now: Clocks): Outcome<P> {
  if (event.is !== 'htlc.seen') return 'stay';
  const look = whenLooked(t, p, event, now);
  if (look.is === 'nothing') return 'stay';
  if (look.is === 'moved') return move<P>(look.progress);
  const unsafe = judge(t, now);
  if (unsafe?.unsafe === 'wait') return 'stay';
  if (unsafe !== null) return move<P>(stopped('late', unsafe.sentence, ownCoins(t, look.funded)));
  return move<P>({ at: 'funded', ...look.funded }, lockEffect(t));
}

/** As the last look said; what is true when the lock is sent, its conditions say. */
function judge(t: T, now: Clocks) {
  return safeToLockForCoin(
    {
      coin: { amount: t.sourceAmount, depth: t.confirmations },
      sourceAmount: t.sourceAmount,
      confirmations: t.confirmations,
      refundLocktime: t.htlc.refundLocktime,
      lockRefundLocktime: t.vhtlc.refundLocktime,
    },
    now,
    t.policy,
  );
}

/** From the client's coin, deep enough, to the VHTLC that is locked against it. */
export const locking: Locking<T, Ready, P & { at: 'locking' }, P> = {
  judge: (t, _, now) => judge(t, now),
  onlyIf: (t, p) => ({
    notAfter: t.lockBefore,
    funded: {
      script: t.htlcScript,
      outpoint: p.coin,
      sourceAmount: t.sourceAmount,
      confirmations: t.confirmations,
      refundLocktime: t.htlc.refundLocktime,
      lockRefundLocktime: t.vhtlc.refundLocktime,
      policy: t.policy,
    },
  }),
  declined,
  ready: (p) => ({ at: 'funded', ...fundedOf(p) }),
  locking: (p, lock) => ({ at: 'locking', ...fundedOf(p), lock }),
  locked: (p, lock) => ({ at: 'locked', ...fundedOf(p), lock }),
  claimed: (t, p, claim) => fate.claimed(t, lockOf(p), claim),
};

/** No VHTLC is made: the client takes its bitcoin back, alone. */
function declined(t: T, p: Funded, reason: string): Step<P> {
  return { progress: stopped('wont', reason, ownCoins(t, p)), effects: [], supersedes: true };
}

/** The lock is prepared, unless the time for it runs out. */
export function whenFundedNow(t: T, p: Ready, event: Event, now: Clocks): Outcome<P> {
  return event.is === 'htlc.seen' ? whenFunded(t, p, event) : whenReady(t, p, event, now, locking);
}
