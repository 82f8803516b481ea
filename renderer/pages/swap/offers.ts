import { useEffect, useState } from 'react';
import { isEvm } from '../../../engine/domain/chain.ts';
import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import { client } from '../../stores/records.ts';
import { evmPart } from './assets.ts';
import { keyOf, type Ask, type Priced } from './quote.ts';

const settleMs = 400;
const renewMs = 15_000;

/** What every provider would do, the best first, asked again every so often; null before the first answer. */
export function useOffers(ask: Ask): readonly TakerQuote[] | null {
  const key = keyOf(ask);
  const [offers, setOffers] = useState<{ readonly key: string; readonly rows: readonly TakerQuote[] } | null>(null);
  useEffect(() => {
    let stale = false;
    const look = async () => {
      try {
        const { quotes } = await client().call('takerQuotes', { body: bodyOf(ask) as never });
        if (!stale) setOffers({ key, rows: quotes });
      } catch {
        // The price of this node says what is wrong; the others are asked again.
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
  return offers?.key === key ? offers.rows : null;
}

function bodyOf({ pair, side, units }: Ask) {
  const onEvm = [pair.give, pair.get].find(({ network }) => isEvm(network));
  return {
    direction: pair.direction,
    side: side === 'give' ? 'source' : 'target',
    amount: units,
    ...(onEvm === undefined ? {} : evmPart(onEvm)),
  };
}

/** The price that an offer is; null for one that is none. */
export function pricedBy(row: TakerQuote): Priced | null {
  const { provider_url: provider, source_amount: give, target_amount: get, costs, min_sats, max_sats } = row;
  if (row.why !== null || give === null || get === null) return null;
  return { provider, give, get, costs, rate: null, least: min_sats ?? 0, most: max_sats ?? Number.MAX_SAFE_INTEGER };
}
