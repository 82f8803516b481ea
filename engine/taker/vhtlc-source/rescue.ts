import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import { ourVhtlc } from '../rescue.ts';
import type { Leg, OrderTerms } from '../terms.ts';
import type { Dealt, VhtlcSourceProgress } from './terms.ts';

/** What lies at our address: it comes back alone from the locktime on, whatever became of the provider. */
export function vhtlcToTakeBack<G extends Leg>(t: OrderTerms, { deal, coins }: Dealt<G>): RescueLeg {
  return ourVhtlc(t, deal.source, coins.find(({ spent }) => !spent)?.outpoint ?? null);
}

/** For a swap of which nothing but its source is ever ours to take. */
export function rescueOfSource<G extends Leg>(
  t: OrderTerms,
  p: { readonly at: 'creating' | 'refused' } | VhtlcSourceProgress<G>,
): RescueSwap | null {
  switch (p.at) {
    case 'waiting':
    case 'funded':
    case 'asking':
    case 'refunding':
      return { claim: null, refund: vhtlcToTakeBack(t, p), shown: false };
    default:
      return null;
  }
}
