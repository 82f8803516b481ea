import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import { lockGiven, lockToRefund } from '../evm-source/rescue.ts';
import { isLeft, type Base, type TakeEvmBitcoinProgress, type TakeEvmBitcoinTerms } from './terms.ts';

type T = TakeEvmBitcoinTerms;

/**
 * Both legs, for what became of one decides about the other. Once a claim is signed its secret may have left us: the
 * provider's coin is claimed as long as there is one, and only when the provider has that back for good our lock is
 * ours again, from its timelock on. A lock that is left out then is lost although nobody else has a right to it.
 */
export function rescue(t: T, p: TakeEvmBitcoinProgress): RescueSwap | null {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'claimed':
    case 'lost':
      return null;
    case 'claiming':
      return { claim: coinToClaim(t, p), refund: lockGiven(t, p), shown: p.shown || p.spends.length > 0 };
    default: {
      const refund = lockToRefund(t, p);
      if (refund === null) return null;
      return { claim: isLeft(p) ? null : coinToClaim(t, p), refund, shown: p.takenBy !== null };
    }
  }
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
