import { amountText } from '../../format/amount.ts';
import { CostLine, type CostPart } from '../../parts/costs.tsx';
import { words } from '../../words/words.ts';
import type { Way } from './assets.ts';
import type { Priced } from './quote.ts';

/** What stays behind between what is given and what is got; the parts only where they add up to it. */
export function SwapCosts({ way, priced }: { way: Way; priced: Priced }) {
  const {
    protocol_fee: service,
    network_fee: network,
    gasless_network_fee: gasless,
    protocol_fee_rate: rate,
  } = priced.quote;
  const sats = (amount: bigint | number) => amountText({ amount: String(amount), decimals: 0, symbol: 'sats' });
  const total = totalCost(way, priced);
  const parts: CostPart[] = [
    { key: 'service', label: words.swap.costs.service(percent(rate)), amount: sats(service) },
    { key: 'network', label: words.swap.costs.network, amount: sats(network) },
    ...(gasless === 0 ? [] : [{ key: 'gasless', label: words.swap.costs.gasless, amount: sats(gasless) }]),
  ];
  const inSats = way.give.decimals === 0 ? Number(priced.give) : Number(priced.get);
  const addUp = BigInt(service + network + gasless) === total;
  return (
    <CostLine
      total={sats(total)}
      share={words.parts.percent(percent(Number(total) / inSats))}
      parts={addUp ? parts : []}
    />
  );
}

/** In sats: the difference of both sides, or between unlike ones what the quote says that is taken. */
export function totalCost({ give, get }: Way, { quote, ...priced }: Priced): bigint {
  if (give.symbol === get.symbol) return BigInt(priced.give) - BigInt(priced.get);
  return BigInt(quote.protocol_fee + quote.network_fee + quote.gasless_network_fee);
}

/** `0.25`, of a fraction. */
function percent(fraction: number): string {
  return (fraction * 100).toFixed(2).replace(/\.?0+$/, '');
}
