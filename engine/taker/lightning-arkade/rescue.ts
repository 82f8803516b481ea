import type { RescueSwap } from '../../legs/rescue.ts';
import { ourVhtlc } from '../rescue.ts';
import type { TakeLightningArkadeProgress, TakeLightningArkadeTerms } from './terms.ts';

/**
 * Once our secret may have left us the VHTLC is all that is ours. Before that the payment goes back by itself, whoever
 * is gone.
 */
export function rescue(t: TakeLightningArkadeTerms, p: TakeLightningArkadeProgress): RescueSwap | null {
  return p.at === 'claiming' ? { claim: ourVhtlc(t, p.deal.target, p.coin), refund: null, shown: true } : null;
}
