import { amountText } from '../../format/amount.ts';
import { CostLine, type CostPart } from '../../parts/costs.tsx';
import { words } from '../../words/words.ts';
import type { Pair } from './assets.ts';
import type { Priced } from './quote.ts';

/** What stays behind between what is given and what is got; the parts only where they add up to it. */
export function SwapCosts({ pair, priced, open = false }: { pair: Pair; priced: Priced; open?: boolean }) {
  const sats = (amount: bigint | number) => amountText({ amount: String(amount), decimals: 0, symbol: 'sats' });
  const total = totalCost(pair, priced);
  if (total === null) return null;
  const parts = priced.costs
    .filter((cost) => cost.part !== 'gasless' || cost.sats > 0)
    .map(({ part, sats: amount }): CostPart => ({
      key: part,
      label:
        part === 'service' && priced.rate !== null
          ? words.swap.service(percent(priced.rate))
          : words.oneSwap.costs[part],
      amount: sats(amount),
    }));
  const inSats = pair.give.decimals === 0 ? Number(priced.give) : Number(priced.get);
  return (
    <CostLine
      open={open}
      total={sats(total)}
      share={words.parts.percent(percent(Number(total) / inSats))}
      parts={BigInt(sumOf(priced)) === total ? parts : []}
    />
  );
}

/**
 * In sats: the difference of both sides, or between unlike ones what the quote says that is taken; null where it does
 * not.
 */
function totalCost({ give, get }: Pair, priced: Priced): bigint | null {
  if (give.symbol === get.symbol) return BigInt(priced.give) - BigInt(priced.get);
  return priced.costs.length === 0 ? null : BigInt(sumOf(priced));
}

function sumOf({ costs }: Priced): number {
  return costs.reduce((sum, { sats }) => sum + sats, 0);
}

/** `0.25`, of a fraction. */
function percent(fraction: number): string {
  return (fraction * 100).toFixed(2).replace(/\.?0+$/, '');
}
