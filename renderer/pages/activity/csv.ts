import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { figureText, shown } from '../../format/amount.ts';
import { csvText } from '../../format/csv.ts';
import { machineText } from '../../format/moment.ts';
import { gaveOf, gotOf } from '../../records/payment.ts';
import { standingOf } from '../../records/standing.ts';
import { words } from '../../words/words.ts';

/** A line for each swap. */
export function csvOf(swaps: readonly TakerSwap[]): string {
  return csvText([Object.values(words.activity.csv), ...swaps.map(lineOf)]);
}

function lineOf(swap: TakerSwap): string[] {
  const { costs, transactions } = swap;
  const [give, get] = [shown(gaveOf(swap)), shown(gotOf(swap))];
  return [
    machineText(swap.created),
    swap.id,
    swap.provider_url,
    swap.direction,
    figureText(give.amount, give.decimals).replaceAll(',', ''),
    give.symbol,
    figureText(get.amount, get.decimals).replaceAll(',', ''),
    get.symbol,
    standingOf(swap).word,
    costs.length === 0 ? '' : String(costs.reduce((sum, { sats }) => sum + sats, 0)),
    transactions.map(({ txid }) => txid).join(' '),
    swap.label ?? '',
    swap.note ?? '',
  ];
}
