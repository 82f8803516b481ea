import type { RescueSwap } from '../../legs/rescue.ts';
import { ourLock } from '../rescue.ts';
import { vhtlcToTakeBack } from '../vhtlc-source/rescue.ts';
import type { Base } from './claiming.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

type T = TakeArkadeEvmTerms;

/**
 * The lock is claimed once the secret may have left us, and not before: until then our coins come back from their
 * locktime on.
 */
export function rescue(t: T, p: TakeArkadeEvmProgress): RescueSwap | null {
  switch (p.at) {
    case 'waiting':
    case 'funded':
    case 'asking':
    case 'refunding':
      // Each side has taken its own back, or its own: what lies there still came beside that.
      return p.takenBack || p.proof !== null ? alone(t, p) : { ...both(t, p), shown: p.claimTxid !== null };
    case 'claiming':
      return { ...both(t, p), shown: true };
    default:
      return null;
  }
}

function alone(t: T, p: Base): RescueSwap {
  return { claim: null, refund: vhtlcToTakeBack(t, p), shown: false };
}

function both(t: T, p: Base) {
  return { claim: ourLock(t, p.deal.target, t.destination), refund: vhtlcToTakeBack(t, p) };
}
