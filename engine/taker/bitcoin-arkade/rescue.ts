import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import { isShown, refundable } from './coins.ts';
import type { Dealt, PaidCoin, TakeBitcoinArkadeProgress, TakeBitcoinArkadeTerms } from './terms.ts';

type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

/** The seed finds neither leg without the provider's keys and locktimes, and the provider may be gone. */
export function rescue(t: T, p: P): RescueSwap | null {
  switch (p.at) {
    case 'funded':
    case 'refunding':
    case 'claiming':
      return p.payout === null
        ? { claim: vhtlc(t, p), refund: bitcoin(t, p, p.coins[0]), shown: p.at === 'claiming' || isShown(p) }
        : leftOver(t, p);
    case 'claimed':
    case 'lost':
      return leftOver(t, p);
    default:
      return null;
  }
}

/** One leg is settled: what came beside it is ours alone. */
function leftOver(t: T, p: Dealt): RescueSwap | null {
  const coin = refundable(p);
  return coin === null ? null : { claim: null, refund: bitcoin(t, p, coin), shown: false };
}

function keyOf({ keyIndex: index }: T) {
  return { branch: 'taker', index } as const;
}

function vhtlc(t: T, { deal: { target } }: Dealt): RescueLeg {
  return { on: 'arkade', terms: target.vhtlc, key: keyOf(t), coin: null, amount: target.amount };
}

function bitcoin(t: T, { deal: { source } }: Dealt, coin: PaidCoin | undefined): RescueLeg {
  const { htlc: terms, since } = source;
  return {
    on: 'bitcoin',
    terms,
    key: keyOf(t),
    coin: coin?.outpoint ?? null,
    amount: coin?.amount ?? source.amount,
    since,
  };
}
