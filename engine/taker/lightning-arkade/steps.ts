import { revealUntil } from '../../legs/timelocks.ts';
import { going, over, type TurnView } from '../facts.ts';
import { closedBy, create, shutUntil, unpaidSteps } from '../steps.ts';
import { lockerIsOut, saysUnpaid, type TakeLightningArkadeProgress, type TakeLightningArkadeTerms } from './terms.ts';

type T = TakeLightningArkadeTerms;
type P = TakeLightningArkadeProgress;

const arrives = [
  create,
  { step: 'pay', reachedBy: ['claiming', 'claimed'] },
  { step: 'lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'claim', reachedBy: ['claimed'] },
  { step: 'finished', reachedBy: ['claimed'] },
] as const;
const goesBack = [
  create,
  { step: 'pay', reachedBy: ['ended'] },
  { step: 'payment-returns', reachedBy: ['ended'] },
] as const;
const closed = closedBy('ended', 'refused', 'lost');

/** Whose turn it is and what comes after. */
export function lightningArkadeSteps(p: P, t: T): TurnView {
  switch (p.at) {
    case 'creating':
    case 'refused':
      return unpaidSteps(p, t, arrives, closed);
    case 'waiting':
      return waiting(p, t);
    case 'claiming':
      return going('claim', { who: 'node', step: 'claim', until: untilOf(p, t) }, arrives);
    case 'claimed':
      return over('finished', arrives);
    case 'ended':
      return p.detail === null && saysUnpaid.has(p.said) ? over('unpaid', closed) : over('returned', goesBack);
    case 'lost':
      return over('lost', closed);
  }
}

function untilOf(p: P & { at: 'waiting' | 'claiming' }, t: T) {
  return revealUntil(p.deal.target.vhtlc.refundLocktime, t.policy);
}

function waiting(p: P & { at: 'waiting' }, t: T): TurnView {
  const { source, target } = p.deal;
  const unwanted = p.cancelled === true && p.said === 'pending';
  if (p.why === null && (unwanted || p.said === 'expired')) return shutUntil(source.expiresAt, closed);
  if (p.why !== null || lockerIsOut.has(p.said)) {
    const until = target.vhtlc.refundLocktime;
    return going('wait', { who: 'nobody', step: 'payment-returns', until }, goesBack);
  }
  return p.said === 'pending'
    ? going('pay', { who: 'payer', step: 'pay', until: source.expiresAt }, arrives)
    : going('wait', { who: 'provider', step: 'lock', until: untilOf(p, t) }, arrives);
}
