import { outpointKey } from '../../../domain/outpoint.ts';
import type { ChainCoin } from '../../../legs/onchain/port.ts';
import type { AgreedAmount } from '../../../legs/onchain/watch.ts';

/** Coins of one script that are told of beside those that a swap names. */
const mostCoins = 50;

/** What swaps know of the coins at a script. */
export interface Meant {
  /** Coins that they go by. */
  readonly named: ReadonlySet<string>;
  readonly agreed: readonly AgreedAmount[];
}

/**
 * Of the coins at a script those that matter: all that a swap names, and of the others so many. One in a block costs its maker what it holds, one
 * that waits nothing, so that no number of those that wait stands in front of one that is mined, nor of other amounts in front of the agreed one;
 * the largest come first (facts/faults.md 96).
 */
export function chosenCoins<C extends Pick<ChainCoin, 'outpoint' | 'amount' | 'height'>>(
  coins: readonly C[],
  { named, agreed }: Meant,
): readonly C[] {
  if (coins.length <= mostCoins) return coins;
  const isNamed = ({ outpoint }: C): boolean => named.has(outpointKey(outpoint));
  const isAgreed = ({ amount }: C): boolean => agreed.some(({ least, most }) => amount >= least && amount <= most);
  const rank = (coin: C): number => (coin.height === null ? 2 : 0) + (isAgreed(coin) ? 0 : 1);
  const others = coins
    .filter((coin) => !isNamed(coin))
    .map((coin) => ({ coin, rank: rank(coin) }))
    .sort((a, b) => a.rank - b.rank || Number(b.coin.amount - a.coin.amount))
    .slice(0, mostCoins)
    .map(({ coin }) => coin);
  return [...coins.filter(isNamed), ...others];
}
