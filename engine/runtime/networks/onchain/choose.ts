import { outpointKey } from '../../../domain/outpoint.ts';
import type { ChainCoin } from '../../../legs/onchain/port.ts';
import type { AgreedAmount } from '../../../legs/onchain/watch.ts';

/** Coins of one script that are told of beside those that a swap names. */
const mostCoins = 50;
/**
 * Of them so many that wait, of the agreed amount and of another one: they cost their maker nothing, and each is asked
 * after (facts/faults.md 107).
 */
const mostWaiting = { agreed: 5, other: 3 } as const;

/** What swaps know of the coins at a script. */
export interface Meant {
  /** Coins that they go by. */
  readonly named: ReadonlySet<string>;
  readonly agreed: readonly AgreedAmount[];
}

/**
 * Of the coins at a script those that matter: all that a swap names, and of the others so many. One in a block costs
 * its maker what it holds, one that waits nothing, so that no number of those that wait stands in front of one that is
 * mined, nor of other amounts in front of the agreed one; the largest come first (facts/faults.md 96).
 */
export function chosenCoins<C extends Pick<ChainCoin, 'outpoint' | 'amount' | 'height'>>(
  coins: readonly C[],
  { named, agreed }: Meant,
): readonly C[] {
  const isNamed = ({ outpoint }: C): boolean => named.has(outpointKey(outpoint));
  const isAgreed = ({ amount }: C): boolean => agreed.some(({ least, most }) => amount >= least && amount <= most);
  const others = coins.filter((coin) => !isNamed(coin)).sort((a, b) => Number(b.amount - a.amount));
  const mined = others.filter(({ height }) => height !== null);
  const waiting = others.filter(({ height }) => height === null);
  const chosen = [
    ...mined.filter(isAgreed),
    ...mined.filter((coin) => !isAgreed(coin)),
    ...waiting.filter(isAgreed).slice(0, mostWaiting.agreed),
    ...waiting.filter((coin) => !isAgreed(coin)).slice(0, mostWaiting.other),
  ];
  return [...coins.filter(isNamed), ...chosen.slice(0, mostCoins)];
}
