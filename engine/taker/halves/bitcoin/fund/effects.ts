import type { Outpoint } from '../../../../domain/outpoint.ts';
import { after, day, furthest, type Clocks, type Locktime } from '../../../../domain/time.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import type { Effect } from '../../../../swap/machine.ts';
import type { Fate } from '../../fund.ts';
import { byBoth } from '../by-both.ts';
import type { Base, BitcoinFundTerms, PaidCoin } from './terms.ts';

/** Asks the provider to give a coin back with us, by the key of both. */
export function askEffect(t: BitcoinFundTerms, p: Base, coin: Outpoint, now: Clocks, leastRate = 0): Effect {
  const { source } = p.deal;
  return {
    ...{ do: 'provider.cosign-htlc', purpose: 'refund', ...byBoth(t, p.deal, source) },
    ...{ script: source.script, coin, leastRate },
    deadline: refundBy(p, now, null),
  };
}

/** Signs the provider's claim of a coin with it, by the key of both. */
export function signEffect(t: BitcoinFundTerms, { deal }: Base, { outpoint: coin, amount }: PaidCoin): Effect {
  return { do: 'provider.sign-claim', ...byBoth(t, deal, deal.source), coin, amount };
}

/**
 * Nobody else can take the coin, so that it may wait for a day of cheap blocks, counted anew at each raise. Where our
 * secret is out the provider can: then it is late from the first moment on.
 */
export function refundBy({ deal }: Base, now: Clocks, fate: Fate): Locktime {
  const locktime = locktimeOf(deal.source.htlc);
  const { mtp } = furthest(now.bitcoin);
  return fate === 'lost' || mtp === null ? locktime : after(mtp, day);
}
