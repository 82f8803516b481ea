import { unix } from '../../domain/time.ts';
import { going, over, type TurnView } from '../facts.ts';
import { create, refunding, shutUntil, signing, takenBack, unpaidSteps, unsigned } from '../steps.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import { lockedTokenFrom } from './price.ts';
import { payableUntil, type TakeArkadeEvmProgress, type TakeArkadeEvmTerms } from './terms.ts';

type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;

const begin = [create, { step: 'pay', reachedBy: ['funded', 'claiming', 'done'] }] as const;
const claimed = [
  ...begin,
  { step: 'lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'claim', reachedBy: ['claimed', 'done'] },
  { step: 'finished', reachedBy: ['claimed', 'done'] },
] as const;
const back = takenBack(begin, 'done');

const exchanged = [
  ...claimed.slice(0, 3),
  { step: 'exchange', reachedBy: ['claimed', 'done'] },
  ...claimed.slice(3),
] as const;

/**
 * Whose turn it is and what comes after. What we bought is ours once its claim is buried, whatever the provider does
 * then.
 */
export function arkadeEvmSteps(p: P, t: T): TurnView {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'lapsed':
      return unpaidSteps(p, t, claimed);
    case 'claimed':
      return over('finished', claimed);
    case 'done':
      if (p.claimTxid !== null) return over('finished', claimed);
      return p.takenBack && p.proof !== null ? over('lost', back) : over('returned', back);
    case 'waiting':
      return p.said === 'expired' || p.cancelled === true
        ? shutUntil(p.deal.source.vhtlc.refundLocktime)
        : going('pay', { who: 'you', step: 'pay', until: payableUntil(t) }, claimed);
    case 'funded':
      return funded(p, t);
    case 'claiming': {
      const until = unix(Number(p.deal.target.lock.timelock));
      return going('claim', { who: p.by === 'provider' ? 'provider' : 'node', step: 'claim', until }, claimed);
    }
    case 'asking':
      return signing(p.deal.source.vhtlc.refundLocktime, back);
    case 'refunding':
      return refunding(back);
  }
}

function funded(p: P & { at: 'funded' }, t: T): TurnView {
  const until = p.deal.source.vhtlc.refundLocktime;
  if (p.declined !== null || p.takenBack) return unsigned(until, back);
  if (p.proof !== null || payerIsOut.has(p.said)) return signing(until, back);
  if (p.price !== undefined && p.lockTxid !== null && p.unsafe === null)
    return going('wait', { who: 'node', step: 'exchange', until: lockedTokenFrom(p, t) }, exchanged);
  return going('wait', { who: 'provider', step: 'lock', until }, claimed);
}
