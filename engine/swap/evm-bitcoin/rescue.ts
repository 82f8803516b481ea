import type { RescueSwap } from '../../legs/rescue.ts';
import { hidden, htlcToRefund, lockToClaim, shown, unpaid } from '../rescue.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

export function rescue(t: EvmBitcoinTerms, p: EvmBitcoinProgress): RescueSwap | null {
  switch (p.at) {
    case 'funding':
    case 'locked':
    case 'refunding':
      return hidden(lockToClaim(t, p.deposit), htlcToRefund(t, p.output));
    case 'claiming':
    case 'claimed':
      return { ...shown(lockToClaim(t, p.deposit), htlcToRefund(t, p.output)), resend: p.redeem.bytes };
    // The client has its lock again, or may: our coin is ours unless its claim is mined.
    case 'lost':
    case 'returned':
      return unpaid(htlcToRefund(t, p.output));
    case 'stopped':
      return p.doubt === undefined
        ? null
        : hidden(lockToClaim(t, p.doubt.deposit), htlcToRefund(t, p.doubt.placed?.output ?? null));
    default:
      return null;
  }
}
