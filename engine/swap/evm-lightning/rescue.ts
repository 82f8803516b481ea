import type { RescueSwap } from '../../legs/rescue.ts';
import { hidden, lockToClaim, shown } from '../rescue.ts';
import { lateLock } from './over.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

/** From the moment at which the payment is asked for. */
export function rescue(t: EvmLightningTerms, p: EvmLightningProgress): RescueSwap | null {
  const ours = { on: 'lightning', hash: t.hash } as const;
  switch (p.at) {
    case 'funded':
    case 'paying':
      return hidden(lockToClaim(t, p.deposit), ours);
    case 'claiming':
    case 'claimed':
      return shown(lockToClaim(t, p.deposit), ours);
    case 'stopped': {
      // A payment that was called off may settle all the same; a refund that we signed closes the claim for good.
      const own = p.late === undefined ? null : lateLock(t, p);
      return own === null ? null : hidden(lockToClaim(t, own), ours);
    }
    default:
      return null;
  }
}
