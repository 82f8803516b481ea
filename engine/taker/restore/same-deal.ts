import { sameBytes } from '../../domain/hash.ts';
import { swapKey } from '../../legs/evm/swap-key.ts';
import type { EvmLeg } from '../evm/terms.ts';
import type { ArkadeLeg, BitcoinLeg, Deal, Leg, LightningLeg } from '../terms.ts';

/** Whether both say the same of what is given and of what comes out, whoever names it and by whatever id. */
export function sameDeal(one: Deal, other: Deal): boolean {
  return sameLeg(one.source, other.source) && sameLeg(one.target, other.target);
}

/** By where it lies, and how much of it. */
function sameLeg(one: Leg, other: Leg): boolean {
  if (one.on !== other.on || one.amount !== other.amount) return false;
  switch (one.on) {
    case 'arkade':
    case 'bitcoin':
      return sameBytes((one as ArkadeLeg | BitcoinLeg).script, (other as ArkadeLeg | BitcoinLeg).script);
    case 'lightning':
      return (one as LightningLeg).bolt11 === (other as LightningLeg).bolt11;
    case 'evm':
      return isSameLock(one as EvmLeg, other as EvmLeg);
  }
}

function isSameLock(one: EvmLeg, other: EvmLeg): boolean {
  return (
    one.network === other.network &&
    sameBytes(one.contracts.htlc, other.contracts.htlc) &&
    sameBytes(swapKey(one.lock), swapKey(other.lock))
  );
}
