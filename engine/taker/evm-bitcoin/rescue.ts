import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import { lockToRefund } from '../evm-source/rescue.ts';
import type { Base, TakeEvmBitcoinProgress, TakeEvmBitcoinTerms } from './terms.ts';

type T = TakeEvmBitcoinTerms;

/**
 * Once a claim is signed its secret may have left us: what is out then is the provider's coin, and our lock is the provider's. Before that, and
 * when the coin went back for good, our lock comes back from its timelock on.
 */
export function rescue(t: T, p: TakeEvmBitcoinProgress): RescueSwap | null {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'claimed':
    case 'lost':
      return null;
    case 'claiming':
      return p.shown || p.spends.length > 0
        ? { claim: coinToClaim(t, p), refund: null, shown: true }
        : given(lockToRefund(t, { ...p, at: 'locked', notBefore: null, declined: null }));
    default:
      return p.takenBy === null ? given(lockToRefund(t, p)) : { claim: coinToClaim(t, p), refund: null, shown: true };
  }
}

function given(refund: RescueLeg | null): RescueSwap | null {
  return refund === null ? null : { claim: null, refund, shown: false };
}

function coinToClaim(t: T, { deal: { target }, coin }: Base): RescueLeg {
  const { htlc: terms, since } = target;
  return {
    on: 'bitcoin',
    terms,
    key: { branch: 'taker', index: t.keyIndex },
    coin: coin?.outpoint ?? null,
    amount: coin?.amount ?? target.amount,
    since,
  };
}
