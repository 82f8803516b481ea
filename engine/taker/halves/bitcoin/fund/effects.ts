import type { Outpoint } from '../../../../domain/outpoint.ts';
import { after, day, furthest, type Clocks, type Locktime } from '../../../../domain/time.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import type { Effect } from '../../../../swap/machine.ts';
import type { Fate } from '../../fund.ts';
import type { Base, BitcoinFundTerms, PaidCoin } from './terms.ts';

/** Asks the provider to give a coin back with us, by the key of both. */
export function askEffect(
  { provider, keyIndex }: BitcoinFundTerms,
  p: Base,
  coin: Outpoint,
  now: Clocks,
  leastRate = 0,
): Effect {
  const { swapId, source } = p.deal;
  if (source.htlc.form !== 'musig') throw new Error('an HTLC without an aggregate key is spent by its script');
  return {
    do: 'provider.cosign-htlc',
    ...{ provider, swapId, purpose: 'refund', terms: source.htlc, script: source.script },
    key: { branch: 'taker', index: keyIndex },
    coin,
    leastRate,
    deadline: refundBy(p, now, null),
  };
}

/** Signs the provider's claim of a coin with it, by the key of both. */
export function signEffect(
  { provider, keyIndex }: BitcoinFundTerms,
  { deal: { swapId, source } }: Base,
  { outpoint: coin, amount }: PaidCoin,
): Effect {
  if (source.htlc.form !== 'musig') throw new Error('an HTLC without an aggregate key is spent by its script');
  return {
    do: 'provider.sign-claim',
    ...{ provider, swapId, terms: source.htlc },
    key: { branch: 'taker', index: keyIndex },
    ...{ coin, amount },
  };
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
