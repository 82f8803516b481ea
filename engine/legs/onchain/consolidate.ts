import { less, noSats, plus, sats, sumOf, type Sats } from '../../domain/money.ts';
import { isKept, setAside } from './reserve.ts';
import type { FeeReserve } from './fee-reserve.ts';
import { worthSpending } from './select.ts';
import { feeUp, inputSize, sendSize } from './size.ts';
import type { WalletCoin } from './wallet-coin.ts';

/** A payment to ourselves that makes better coins of some. */
export interface Consolidation {
  readonly coins: readonly WalletCoin[];
  readonly outputs: readonly Sats[];
  readonly fee: Sats;
}

/** So many coins beside the reserve are worth having: as many fundings at once. */
const roomy = 12;
/** Fewer joined are not worth a transaction, more are not relayed everywhere. */
const joined = { fewest: 4, most: 60 } as const;
/** A coin that costs more than half of itself is left for a cheaper day. */
const worthTimes = 2;
/** What is split off for the reserve holds so many times what it must, so that it can pay more than once. */
const keptTimes = 2n;
/** The coin that it is split off holds so many times all of it: fundings need large coins more. */
const largeTimes = 3n;

/**
 * What is worth doing with the wallet's confirmed coins when fees are low: coins that the reserve lacks are split off
 * the largest one, else the smallest of too many are joined. Null when all is well, or would cost more than `mostFee`.
 * Wrong: fees for nothing, which no swap pays.
 */
export function planConsolidation(
  coins: readonly WalletCoin[],
  ask: { readonly own: Uint8Array; readonly rate: number; readonly reserve: FeeReserve; readonly mostFee: Sats },
): Consolidation | null {
  return split(coins, ask) ?? join(coins, ask);
}

type Ask = Parameters<typeof planConsolidation>[1];

function split(coins: readonly WalletCoin[], { own, rate, reserve, mostFee }: Ask): Consolidation | null {
  const missing = reserve.coins - coins.filter(({ amount }) => isKept(amount, reserve)).length;
  const [largest] = worthSpending(coins, rate);
  if (missing <= 0 || largest === undefined) return null;
  const each = sats(reserve.each * keptTimes);
  const pieces = Array.from({ length: missing }, () => each);
  const fee = feeUp(sendSize(1, [own, ...pieces.map(() => own)]), rate);
  const all = pieces.reduce(plus, noSats);
  if (fee > mostFee || largest.amount < all * largeTimes + fee) return null;
  return { coins: [largest], outputs: [less(largest.amount, plus(all, fee)), ...pieces], fee };
}

function join(coins: readonly WalletCoin[], { own, rate, reserve, mostFee }: Ask): Consolidation | null {
  const { free } = setAside(coins, reserve);
  const least = feeUp(inputSize, rate * worthTimes);
  const small = worthSpending(free, rate, Infinity)
    .reverse()
    .filter(({ amount }) => amount >= least);
  for (let count = Math.min(joined.most, small.length, free.length - roomy + 1); count >= joined.fewest; count--) {
    const taken = small.slice(0, count);
    const fee = feeUp(sendSize(count, [own]), rate);
    const left = less(sumOf(taken), fee);
    if (fee <= mostFee) return { coins: taken, outputs: [left], fee };
  }
  return null;
}
