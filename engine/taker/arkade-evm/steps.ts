import { unix } from '../../domain/time.ts';
import { going, over, type Standing } from '../facts.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;

const begin = [
  { step: 'create', reachedBy: ['waiting', 'refused'] },
  { step: 'pay', reachedBy: ['funded', 'claiming', 'done'] },
] as const;
const claimed = [
  ...begin,
  { step: 'lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'claim', reachedBy: ['claimed', 'done'] },
  { step: 'finished', reachedBy: ['claimed', 'done'] },
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

/** Whose turn it is and what comes after. What we bought is ours once its claim is buried, whatever the provider does then. */
export function arkadeEvmSteps(p: P, t: T): Standing {
  switch (p.at) {
    case 'creating':
      return going('creating', { who: 'provider', step: 'create', until: t.createBefore }, claimed);
    case 'refused':
      return over('refused', closed);
    case 'lapsed':
      return over('unpaid', closed);
    case 'claimed':
      return over('finished', claimed);
    case 'done':
      if (p.claimTxid !== null) return over('finished', claimed);
      return p.takenBack && p.proof !== null ? over('lost', takenBack) : over('returned', takenBack);
    case 'waiting':
      // What is sent to it all the same comes back at the locktime.
      return p.said === 'expired'
        ? going('wait', { who: 'nobody', step: 'closed', until: p.deal.source.vhtlc.refundLocktime }, closed)
        : going('pay', { who: 'you', step: 'pay', until: null }, claimed);
    case 'funded':
      return funded(p);
    case 'claiming': {
      const until = unix(Number(p.deal.target.lock.timelock));
      return going('claim', { who: p.by === 'provider' ? 'provider' : 'node', step: 'claim', until }, claimed);
    }
    case 'asking':
      return signing(p);
    case 'refunding':
      return going('refund', { who: 'node', step: 'refund', until: null }, takenBack);
  }
}

function funded(p: P & { at: 'funded' }): Standing {
  const until = p.deal.source.vhtlc.refundLocktime;
  if (p.declined !== null || p.takenBack)
    return going('refund', { who: 'nobody', step: 'await-refund', until }, takenBack, 'sign-refund');
  if (p.proof !== null || payerIsOut.has(p.said)) return signing(p);
  return going('wait', { who: 'provider', step: 'lock', until }, claimed);
}

function signing(p: P & { at: 'funded' | 'asking' }): Standing {
  const until = p.deal.source.vhtlc.refundLocktime;
  return going('refund', { who: 'provider', step: 'sign-refund', until }, takenBack);
}
