import type { RescueSwap } from '../../legs/rescue.ts';
import { ourLock } from '../rescue.ts';
import type { Dealt, TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

/** Our lock comes back from its timelock on. Before a signature was given there is none, and the tokens are in our account. */
export function rescue(t: TakeEvmLightningTerms, p: TakeEvmLightningProgress): RescueSwap | null {
  switch (p.at) {
    case 'waiting':
      return p.signedUntil === null ? null : locked(t, p);
    case 'funding':
    case 'locked':
    case 'asking':
    case 'refunding':
      return locked(t, p);
    default:
      return null;
  }
}

function locked(t: TakeEvmLightningTerms, { deal: { source }, made }: Dealt): RescueSwap {
  const lock = { ...source.lock, amount: made?.amount ?? source.lock.amount };
  return { claim: null, refund: ourLock(t, { ...source, lock }), shown: false };
}
