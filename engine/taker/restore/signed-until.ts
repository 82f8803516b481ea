import { after, hour, type Unix } from '../../domain/time.ts';
import type { TimeHtlcTerms } from '../../legs/onchain/htlc.ts';
import type { ArkadeLeg, BitcoinLeg, Deal, LightningLeg } from '../terms.ts';

/**
 * Until when a signature of ours that was given may still lock tokens of ours, at the latest: it is not for as long as
 * what is locked for it. Null where none ever does.
 */
export function signedUntil({ source, target }: Deal): Unix | null {
  if (source.on !== 'evm') return null;
  switch (target.on) {
    case 'arkade':
      return (target as ArkadeLeg).vhtlc.refundLocktime;
    case 'bitcoin':
      return (target as BitcoinLeg<TimeHtlcTerms>).htlc.refundLocktime;
    case 'lightning':
      return after((target as LightningLeg).expiresAt, hour);
    case 'evm':
      return null;
  }
}
