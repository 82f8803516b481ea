import { sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';
import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import { isShown, refundable } from './coins.ts';
import type { Dealt, TakeBitcoinArkadeProgress, TakeBitcoinArkadeTerms } from './terms.ts';

type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

/** The seed finds neither leg without the provider's keys and locktimes, and the provider may be gone. */
export function rescue(t: T, p: P): RescueSwap | null {
  switch (p.at) {
    case 'waiting':
    case 'funded':
    case 'refunding':
    case 'claiming':
      return p.payout === null
        ? {
            claim: vhtlc(t, p),
            refund: bitcoin(t, p, p.coins[0]?.outpoint ?? null),
            shown: p.at === 'claiming' || isShown(p),
          }
        : leftOver(t, p);
    case 'claimed':
    case 'lost':
      return leftOver(t, p);
    default:
      return null;
  }
}

/** One leg is settled: what came beside it is ours alone. */
function leftOver(t: T, p: Exclude<P, { at: 'creating' | 'refused' }>): RescueSwap | null {
  const coin = p.at === 'refunding' ? p.coin : (refundable(p)?.outpoint ?? null);
  return coin === null ? null : { claim: null, refund: bitcoin(t, p, coin), shown: false };
}

function keyOf({ keyIndex: index }: T) {
  return { branch: 'taker', index } as const;
}

function vhtlc(t: T, { deal: { target } }: Dealt): RescueLeg {
  return { on: 'arkade', terms: target.vhtlc, key: keyOf(t), coin: null, amount: target.amount };
}

function bitcoin(t: T, { deal: { source }, coins }: Dealt, coin: Outpoint | null): RescueLeg {
  const { htlc: terms, since } = source;
  const paid = coins.find(({ outpoint }) => coin !== null && sameOutpoint(outpoint, coin));
  return { on: 'bitcoin', terms, key: keyOf(t), coin, amount: paid?.amount ?? source.amount, since };
}
