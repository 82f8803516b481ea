import type { RescueLeg } from '../../legs/rescue.ts';
import { ourLock } from '../rescue.ts';
import type { EvmSourceProgress, EvmSourceTerms } from './terms.ts';

/** Our lock comes back from its timelock on. Before a signature was given there is none, and the tokens are in our account. */
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
  const { source } = p.deal;
  return ourLock(t, { ...source, lock: { ...source.lock, amount: p.made?.amount ?? source.lock.amount } });
}
