import type { TakerQuote } from '../../../engine/contract/taker-quotes.ts';
import { amountText } from '../../format/amount.ts';
import { spanText } from '../../format/span.ts';
import { Cases, type Case } from '../../parts/cases.tsx';
import { words } from '../../words/words.ts';
import type { Pair } from './assets.ts';

type QuoteCase = TakerQuote['cases'][number];
type Source = keyof typeof words.swap.vanishes;

const tones = { usual: 'safe', slow: 'wait', provider: 'wait', operator: 'need', node: 'need' } as const;

/**
 * Before the first click: what can happen, each with how long it takes and what it costs at most, by the node's own
 * rules.
 */
export function WhatIf({ pair, give, cases }: { pair: Pair; give: string | null; cases: TakerQuote['cases'] | null }) {
  if (cases === null || cases.length === 0)
    return (
      <aside>
        <h2>{words.swap.noQuoteYet}</h2>
        <p className="sub mt-2">{words.swap.noQuoteMeans}</p>
      </aside>
    );
  return <Cases id="what-if" cases={cases.map((one) => caseOf(one, pair, give))} />;
}

function caseOf(one: QuoteCase, pair: Pair, give: string | null): Case {
  return {
    key: one.case,
    tone: tones[one.case],
    title: words.swap.cases[one.case],
    time: one.seconds === null ? words.swap.ofTheWallet : timeText(one),
    means: (
      <>
        {meansOf(one, pair, give)} {costText(one)}
      </>
    ),
  };
}

function timeText({ case: what, seconds }: QuoteCase): string {
  const span = spanText(seconds ?? 0);
  return what === 'usual' ? words.swap.about(span) : words.swap.atMostSpan(span);
}

function costText({ case: what, most_sats: most }: QuoteCase): string {
  if (most === null) return what === 'provider' ? words.swap.costsGas : words.swap.costsUnknown;
  const amount = amountText({ amount: String(most), decimals: 0, symbol: 'sats' });
  return what === 'usual' || most === 0 ? words.swap.costs(amount) : words.swap.costsAtMost(amount);
}

function meansOf({ case: what }: QuoteCase, { give: from, get }: Pair, give: string | null): string {
  const source = (from.network in words.swap.vanishes ? from.network : 'evm') as Source;
  switch (what) {
    case 'usual':
      return words.swap.usually;
    case 'slow':
      return get.less === null ? words.swap.slow : words.swap.slowExchange;
    case 'provider':
      return words.swap.vanishes[source](give === null ? words.swap.allOfIt : words.swap.allOf(give));
    case 'operator':
      return from.network === 'arkade' ? words.swap.worst.arkade : words.swap.worst.arkadeGet;
    case 'node':
      return words.swap.worst.other;
  }
}
