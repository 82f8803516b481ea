import type { RescueSwap } from '../../legs/rescue.ts';
import { lockToRefund } from '../evm-source/rescue.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

export function rescue(t: TakeEvmLightningTerms, p: TakeEvmLightningProgress): RescueSwap | null {
  if (p.at === 'creating' || p.at === 'refused' || p.at === 'paid') return null;
  const refund = lockToRefund(t, p);
  return refund === null ? null : { claim: null, refund, shown: false };
}
