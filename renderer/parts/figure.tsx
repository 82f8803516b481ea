import { figureText, shortFigure } from '../format/amount.ts';

/** An amount cut to what is looked at; all of it is its title. */
export function Figure({ amount, decimals }: { amount: string; decimals: number }) {
  const all = figureText(amount, decimals);
  const short = shortFigure(amount, decimals);
  return short === all ? all : <span title={all}>{short}</span>;
}
