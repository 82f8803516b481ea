import { invoicePayableUntil } from '../../legs/timelocks.ts';
import { going, over, type TurnView } from '../facts.ts';
import { create, refunding, shutUntil, signing, takenBack, unpaidSteps, unsigned } from '../steps.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

type T = TakeArkadeLightningTerms;
type P = TakeArkadeLightningProgress;

const begin = [create, { step: 'pay', reachedBy: ['funded', 'done'] }] as const;
const paidOut = [
  ...begin,
  { step: 'pay-out', reachedBy: ['done'] },
  { step: 'finished', reachedBy: ['done'] },
] as const;
const back = takenBack(begin, 'done');

/** Whose turn it is and what comes after. */
export function arkadeLightningSteps(p: P, t: T): TurnView {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'lapsed':
      return unpaidSteps(p, t, paidOut);
    case 'done':
      return p.proof === null ? over('returned', back) : over('finished', paidOut);
    case 'waiting':
      return p.said === 'expired' || p.cancelled === true
        ? shutUntil(p.deal.source.vhtlc.refundLocktime)
        : going('pay', { who: 'you', step: 'pay', until: invoicePayableUntil(p.deal.target.expiresAt) }, paidOut);
    case 'funded':
      return funded(p);
    case 'asking':
      return signing(p.deal.source.vhtlc.refundLocktime, back);
    case 'refunding':
      return refunding(back);
  }
}

function funded(p: P & { at: 'funded' }): TurnView {
  const until = p.deal.source.vhtlc.refundLocktime;
  if (p.declined !== null) return unsigned(until, back);
  return p.proof !== null || payerIsOut.has(p.said)
    ? signing(until, back)
    : going('wait', { who: 'provider', step: 'pay-out', until }, paidOut);
}
