import { unix } from '../../domain/time.ts';
import { going, over, type Standing } from '../facts.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;

const begin = [
  { step: 'create', reachedBy: ['waiting', 'refused'] },
  { step: 'pay', reachedBy: ['funding', 'locked'] },
  { step: 'confirm', reachedBy: ['locked', 'paid'] },
] as const;
const paidOut = [
  ...begin,
  { step: 'pay-out', reachedBy: ['paid'] },
  { step: 'finished', reachedBy: ['paid'] },
] as const;
const takenBack = [
  ...begin,
  { step: 'sign-refund', reachedBy: ['refunding', 'refunded'] },
  { step: 'refund', reachedBy: ['refunded'] },
  { step: 'returned', reachedBy: ['refunded'] },
] as const;
const closed = [
  { step: 'create', reachedBy: ['waiting', 'refused'] },
  { step: 'closed', reachedBy: ['lapsed', 'refused'] },
] as const;

/** Whose turn it is and what comes after. */
export function evmLightningSteps(p: P, t: T): Standing {
  switch (p.at) {
    case 'creating':
      return going('creating', { who: 'provider', step: 'create', until: t.createBefore }, paidOut);
    case 'refused':
      return over('refused', closed);
    case 'lapsed':
      return over('unpaid', closed);
    case 'paid':
      return over('finished', paidOut);
    case 'refunded':
      return over('returned', takenBack);
    case 'waiting':
      return going('pay', { who: 'you', step: 'pay', until: p.deal.target.expiresAt }, paidOut);
    case 'funding':
      return going(
        'wait',
        { who: p.by === 'provider' ? 'provider' : 'node', step: 'confirm', until: p.signedUntil },
        paidOut,
      );
    case 'locked':
      return locked(p);
    case 'asking':
      return signing(p);
    case 'refunding':
      return going('refund', { who: 'node', step: 'refund', until: null }, takenBack);
  }
}

function locked(p: P & { at: 'locked' }): Standing {
  const until = unix(Number(p.deal.source.lock.timelock));
  if (p.declined !== null)
    return going('refund', { who: 'nobody', step: 'await-refund', until }, takenBack, 'sign-refund');
  return payerIsOut.has(p.said) ? signing(p) : going('wait', { who: 'provider', step: 'pay-out', until }, paidOut);
}

function signing(p: P & { at: 'locked' | 'asking' }): Standing {
  const until = unix(Number(p.deal.source.lock.timelock));
  return going('refund', { who: 'provider', step: 'sign-refund', until }, takenBack);
}
