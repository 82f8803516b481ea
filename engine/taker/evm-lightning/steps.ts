import { going, over, type TurnView } from '../facts.ts';
import { create, refunding, shutUntil, signing, takenBack, unpaidSteps, unsigned } from '../steps.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import { timelockOf } from '../evm-source/terms.ts';
import { payableUntil } from './payable.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;

const begin = [
  create,
  { step: 'pay', reachedBy: ['funding', 'locked'] },
  { step: 'confirm', reachedBy: ['locked', 'paid'] },
] as const;
const paidOut = [
  ...begin,
  { step: 'pay-out', reachedBy: ['paid'] },
  { step: 'finished', reachedBy: ['paid'] },
] as const;
const back = takenBack(begin, 'refunded');

/** Whose turn it is and what comes after. */
export function evmLightningSteps(p: P, t: T): TurnView {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'lapsed':
      return unpaidSteps(p, t, paidOut);
    case 'paid':
      return over('finished', paidOut);
    case 'refunded':
      return over('returned', back);
    case 'waiting':
      if (p.cancelled === true) return shutUntil(p.signedUntil ?? timelockOf(p));
      return going('pay', { who: 'you', step: 'pay', until: payableUntil(p) }, paidOut);
    case 'funding':
      return going(
        'wait',
        { who: p.by === 'provider' ? 'provider' : 'node', step: 'confirm', until: p.signedUntil },
        paidOut,
      );
    case 'locked':
      return locked(p);
    case 'asking':
      return signing(timelockOf(p), back);
    case 'refunding':
      return refunding(back);
  }
}

function locked(p: P & { at: 'locked' }): TurnView {
  const until = timelockOf(p);
  if (p.declined !== null) return unsigned(until, back);
  return payerIsOut.has(p.said)
    ? signing(until, back)
    : going('wait', { who: 'provider', step: 'pay-out', until }, paidOut);
}
