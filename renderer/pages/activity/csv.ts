import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { figureText } from '../../format/amount.ts';
import { machineText } from '../../format/moment.ts';
import { standingOf } from '../../records/standing.ts';
import { words } from '../../words/words.ts';

/** RFC 4180, a line for each swap; what a spreadsheet would run as a formula begins with an apostrophe. */
export function csvOf(swaps: readonly TakerSwap[]): string {
  return [Object.values(words.activity.csv), ...swaps.map(lineOf)]
    .map((cells) => cells.map(cellText).join(','))
    .join('\r\n')
    .concat('\r\n');
}

function lineOf(swap: TakerSwap): string[] {
  const { give, get, costs, transactions } = swap;
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
  ];
}

function cellText(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
