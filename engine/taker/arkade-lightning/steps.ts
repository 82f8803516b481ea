import { going, over, type Standing } from '../facts.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

type T = TakeArkadeLightningTerms;
type P = TakeArkadeLightningProgress;

const begin = [
  { step: 'create', reachedBy: ['waiting', 'refused'] },
  { step: 'pay', reachedBy: ['funded', 'done'] },
] as const;
const paidOut = [
  ...begin,
  { step: 'pay-out', reachedBy: ['done'] },
  { step: 'finished', reachedBy: ['done'] },
] as const;
const takenBack = [
  ...begin,
  { step: 'sign-refund', reachedBy: ['refunding', 'done'] },
  { step: 'refund', reachedBy: ['done'] },
  { step: 'returned', reachedBy: ['done'] },
] as const;
const closed = [
  { step: 'create', reachedBy: ['waiting', 'refused'] },
  { step: 'closed', reachedBy: ['lapsed', 'refused'] },
] as const;

/** Whose turn it is and what comes after. */
export function arkadeLightningSteps(p: P, t: T): Standing {
  switch (p.at) {
    case 'creating':
      return going('creating', { who: 'provider', step: 'create', until: t.createBefore }, paidOut);
    case 'refused':
      return over('refused', closed);
    case 'lapsed':
      return over('unpaid', closed);
    case 'done':
      return p.proof === null ? over('returned', takenBack) : over('finished', paidOut);
    case 'waiting':
      // What is sent to it all the same comes back at the locktime.
      return p.said === 'expired'
        ? going('wait', { who: 'nobody', step: 'closed', until: p.deal.source.vhtlc.refundLocktime }, closed)
        : going('pay', { who: 'you', step: 'pay', until: p.deal.target.expiresAt }, paidOut);
    case 'funded':
      return funded(p);
    case 'asking':
      return signing(p);
    case 'refunding':
      return going('refund', { who: 'node', step: 'refund', until: null }, takenBack);
  }
}

function funded(p: P & { at: 'funded' }): Standing {
  const until = p.deal.source.vhtlc.refundLocktime;
  if (p.declined !== null)
    return going('refund', { who: 'nobody', step: 'await-refund', until }, takenBack, 'sign-refund');
  return p.proof !== null || payerIsOut.has(p.said)
    ? signing(p)
    : going('wait', { who: 'provider', step: 'pay-out', until }, paidOut);
}

function signing(p: P & { at: 'funded' | 'asking' }): Standing {
  const until = p.deal.source.vhtlc.refundLocktime;
  return going('refund', { who: 'provider', step: 'sign-refund', until }, takenBack);
}
