import type { RescueSwap } from '../../legs/rescue.ts';
import { hidden, shown, vhtlcToClaim } from '../rescue.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

/** From the moment at which the payment is asked for. */
export function rescue(t: ArkadeLightningTerms, p: ArkadeLightningProgress): RescueSwap | null {
  const ours = { on: 'lightning', hash: t.hash } as const;
  switch (p.at) {
    case 'funded':
    case 'paying':
      return hidden(vhtlcToClaim(t, p.coin), ours);
    case 'claiming':
    case 'claimed':
      return shown(vhtlcToClaim(t, p.coin), ours);
    case 'stopped':
      // A payment that was called off may settle all the same; a refund that we signed closes the claim for good.
      return p.late === undefined || p.fenced ? null : hidden(vhtlcToClaim(t, null), ours);
    default:
      return null;
  }
}
