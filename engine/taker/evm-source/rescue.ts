import type { RescueLeg } from '../../legs/rescue.ts';
import { ourLock } from '../rescue.ts';
import type { Dealt, EvmSourceProgress, EvmSourceTerms } from './terms.ts';

/**
 * Our lock comes back from its timelock on. Before a signature was given there is none, and the tokens are in our
 * account.
 */
export function lockToRefund(t: EvmSourceTerms, p: EvmSourceProgress): RescueLeg | null {
  switch (p.at) {
    case 'waiting':
      if (p.signedUntil === null) return null;
      break;
    case 'refunded':
    case 'lapsed':
      return null;
    default:
      break;
  }
  return lockGiven(t, p);
}

/** With the amount that the chain has of it. */
export function lockGiven(t: EvmSourceTerms, { deal: { source }, made }: Dealt): RescueLeg {
  return ourLock(t, { ...source, lock: { ...source.lock, amount: made?.amount ?? source.lock.amount } });
}
