import { amountText } from '../../format/amount.ts';
import { Cases, type Case } from '../../parts/cases.tsx';
import { words } from '../../words/words.ts';
import type { Way } from './assets.ts';
import type { Priced } from './quote.ts';
import { totalCost } from './swap-costs.tsx';

type Source = keyof typeof words.swap.vanishes;

/** Before the first click: what usually happens, and the two ways in which it may not. Only what is certain is said. */
export function WhatIf({ way, give, priced }: { way: Way; give: string | null; priced: Priced | null }) {
  const { vanishes, worst, worstTitle } = words.swap;
  const total = priced === null ? null : totalCost(way, priced);
  const cost = total === null ? null : amountText({ amount: String(total), decimals: 0, symbol: 'sats' });
  const source = (way.give.network in vanishes ? way.give.network : 'evm') as Source;
  const byOperator = way.give.network === 'arkade' ? 'arkade' : way.get.network === 'arkade' ? 'arkadeGet' : 'other';
  const cases: readonly Case[] = [
    {
      key: 'usually',
      tone: 'safe',
      title: words.parts.usually,
      time: null,
      means: cost === null ? words.swap.usuallyUnpriced : words.swap.usually(cost),
    },
    {
      key: 'vanishes',
      tone: 'wait',
      title: words.parts.vanishes,
      time: null,
      means: vanishes[source](give === null ? words.swap.allOfIt : words.swap.allOf(give)),
    },
    {
      key: 'worst',
      tone: 'need',
      title: byOperator === 'other' ? worstTitle.other : worstTitle.arkade,
      time: null,
      means: worst[byOperator],
    },
  ];
  return <Cases id="what-if" cases={cases} />;
}
