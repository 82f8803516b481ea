import { revealUntil } from '../../legs/timelocks.ts';
import { going, over, type TurnView } from '../facts.ts';
import { closedBy, create, refunding, shutUntil, unpaidSteps } from '../steps.ts';
import { isShown } from './coins.ts';
import { providerIsOut, type TakeBitcoinArkadeProgress, type TakeBitcoinArkadeTerms } from './terms.ts';

type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

const begin = [create, { step: 'pay', reachedBy: ['funded', 'claiming', 'claimed', 'refunding', 'done'] }] as const;
const arrives = [
  ...begin,
  { step: 'confirm', reachedBy: ['claiming', 'claimed'] },
  { step: 'lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'claim', reachedBy: ['claimed'] },
  { step: 'finished', reachedBy: ['claimed'] },
] as const;
const comesBack = [
  ...begin,
  { step: 'await-refund', reachedBy: ['refunding', 'done'] },
  { step: 'refund', reachedBy: ['done'] },
  { step: 'returned', reachedBy: ['done'] },
] as const;
const closed = closedBy('lapsed', 'refused', 'lost');

/** Whose turn it is and what comes after. */
export function bitcoinArkadeSteps(p: P, t: T): TurnView {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'lapsed':
      return unpaidSteps(p, t, arrives, closed);
    case 'waiting':
      return providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true
        ? shutUntil(p.deal.source.htlc.refundLocktime, closed)
        : going('pay', { who: 'you', step: 'pay', until: p.deal.payBefore }, arrives);
    case 'funded':
      return funded(p, t);
    case 'claiming':
      return going('claim', { who: 'node', step: 'claim', until: claimBefore(p, t) }, arrives);
    case 'claimed':
      return over('finished', arrives);
    case 'refunding':
      return refunding(comesBack);
    case 'done':
      return over('returned', comesBack);
    case 'lost':
      return over('lost', closed);
  }
}

function claimBefore({ deal }: P & { at: 'funded' | 'claiming' }, t: T) {
  return revealUntil(deal.target.vhtlc.refundLocktime, t.policy);
}

function funded(p: P & { at: 'funded' }, t: T): TurnView {
  const until = p.deal.source.htlc.refundLocktime;
  if (!isShown(p) && (p.why !== null || providerIsOut.has(p.said)))
    return going('refund', { who: 'nobody', step: 'await-refund', until }, comesBack);
  return p.coins.some(({ deep }) => deep)
    ? going('wait', { who: 'provider', step: 'lock', until: claimBefore(p, t) }, arrives)
    : going('wait', { who: 'nobody', step: 'confirm', until: claimBefore(p, t) }, arrives);
}
