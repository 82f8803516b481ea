import type { RescueSwap } from '../../legs/rescue.ts';
import { hidden, htlcToClaim, shown, unpaid, vhtlcToRefund } from '../rescue.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from './terms.ts';

export function rescue(t: BitcoinArkadeTerms, p: BitcoinArkadeProgress): RescueSwap | null {
  switch (p.at) {
    case 'locking':
    case 'locked':
    case 'refunding':
      return hidden(htlcToClaim(t, p), vhtlcToRefund(t));
    case 'claiming':
    case 'claimed':
      return shown(htlcToClaim(t, p), vhtlcToRefund(t));
    case 'lost':
      return p.racing === undefined ? null : unpaid(vhtlcToRefund(t));
    default:
      return null;
  }
}
