import { useEffect, useState } from 'react';
import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { keyOfAsset, leastOf, mostOf, type Pair } from './assets.ts';

export type Side = 'give' | 'get';

/** What is asked for: an amount on one side, in its smallest units. */
export interface Ask {
  readonly pair: Pair;
  readonly side: Side;
  readonly units: string;
}

/** What really moves, fees in it, and what it is made of. */
export interface Priced {
  /** Empty for this node. */
  readonly provider: string;
  readonly give: string;
  readonly get: string;
  readonly costs: TakerQuote['costs'];
  /** The share that the service takes, where it is known. */
  readonly rate: number | null;
  /** Limits in sats. */
  readonly least: number;
  readonly most: number;
}

export interface Pricing {
  readonly priced: Priced | null;
  readonly trouble: string | null;
}

/** Two asks with the same key are the same question. */
export function keyOf({ pair, side, units }: Ask): string {
  return `${keyOfAsset(pair.give)} ${keyOfAsset(pair.get)} ${side} ${units}`;
}

const settleMs = 250;
const renewMs = 15_000;

/** The price of what is asked for, asked again every so often; the last one stays until the next is there. */
export function usePrice(ask: Ask | null): Pricing {
  const key = ask === null ? null : keyOf(ask);
  const [pricing, setPricing] = useState<Pricing & { readonly key: string | null }>({
    key: null,
    priced: null,
    trouble: null,
  });
  useEffect(() => {
    if (ask === null) return;
    let stale = false;
    const look = async () => {
      try {
        const priced = await priceOf(ask);
        if (!stale) setPricing({ key, priced, trouble: null });
      } catch (error) {
        if (!stale) setPricing({ key, priced: null, trouble: troubleText(error) });
      }
    };
    const first = setTimeout(() => void look(), settleMs);
    const timer = setInterval(() => void look(), renewMs);
    return () => {
      stale = true;
      clearTimeout(first);
      clearInterval(timer);
    };
    // The ask is what its key says.
  }, [key]);
  return pricing.key === key && key !== null ? pricing : { priced: null, trouble: null };
}

async function priceOf({ pair, side, units }: Ask): Promise<Priced> {
  const query = {
    source_chain: pair.give.chain,
    source_token: pair.give.token,
    target_chain: pair.get.chain,
    target_token: pair.get.token,
    [side === 'give' ? 'source_amount' : 'target_amount']: units,
  };
  const quote = await client().call('quote', { query: query as never });
  return {
    provider: '',
    give: quote.net_source_amount,
    get: quote.net_target_amount,
    costs: [
      { part: 'service', sats: quote.protocol_fee },
      { part: 'network', sats: quote.network_fee },
      { part: 'gasless', sats: quote.gasless_network_fee },
    ],
    rate: quote.protocol_fee_rate,
    least: quote.min_amount,
    most: quote.max_amount,
  };
}

/**
 * Worse than what the owner agreed to: less for the same, or the same for more. What an exchange makes may be less, and
 * what it takes more, by as much as was shown.
 */
export function worse({ give, get }: Pair, now: Priced, agreed: Priced): boolean {
  return BigInt(now.get) < BigInt(leastOf(get, agreed.get)) || BigInt(now.give) > BigInt(mostOf(give, agreed.give));
}
