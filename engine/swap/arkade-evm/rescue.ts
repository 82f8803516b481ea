import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import { hidden, shown, vhtlcToClaim } from '../rescue.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

/** From before our lock is signed, for the account's queue sends it at once. */
export function rescue(t: ArkadeEvmTerms, p: ArkadeEvmProgress): RescueSwap | null {
  const { network, contracts, lock, since } = t;
  const ours: RescueLeg = { on: 'evm', network, contracts, lock, since };
  switch (p.at) {
    case 'funded':
    case 'locking':
    case 'locked':
    case 'relaying':
    case 'relayed':
    case 'refunding':
      return hidden(vhtlcToClaim(t, p.coin), ours);
    case 'claiming':
    case 'claimed':
      return shown(vhtlcToClaim(t, p.coin), ours);
    case 'stopped':
      return p.doubt === undefined ? null : hidden(vhtlcToClaim(t, p.doubt.coin), ours);
    default:
      return null;
  }
}
