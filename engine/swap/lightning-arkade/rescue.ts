import type { RescueSwap } from '../../legs/rescue.ts';
import { hidden, shown, unpaid, vhtlcToRefund } from '../rescue.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

export function rescue(t: LightningArkadeTerms, p: LightningArkadeProgress): RescueSwap | null {
  const theirs = { on: 'lightning', hash: t.hash } as const;
  switch (p.at) {
    case 'locking':
    case 'locked':
    case 'refunding':
    case 'refunded':
      return hidden(theirs, vhtlcToRefund(t));
    case 'claimed':
      return shown(theirs, vhtlcToRefund(t));
    case 'lost':
      return p.racing === undefined ? null : unpaid(vhtlcToRefund(t));
    default:
      return null;
  }
}
