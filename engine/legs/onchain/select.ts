import { outpointKey } from '../../domain/outpoint.ts';
import { changeWaste, feeUp, inputSize, sendSize } from './size.ts';
import type { Payment } from './transaction.ts';
import type { WalletCoin } from './wallet-coin.ts';

/** More would make a transaction that no node relays. */
const mostInputs = 200;
/** Fees are compared in thousandths of a sat. */
const fine = 1_000n;

/** What coins are chosen for. */
export interface Choice {
  /** Outputs that have to be paid for. */
  readonly outputs: readonly Payment[];
  /** A taproot script of the wallet's own: all its coins are spent as this one would be. */
  readonly own: Uint8Array;
  /** Sats per virtual byte. */
  readonly rate: number;
  /** Spent in any case. */
  readonly keep: readonly WalletCoin[];
}

/**
 * Coins that bring more than they cost at this rate, the largest first, of equals by name: no order of the chain's
 * makes another choice.
 */
export function worthSpending(coins: readonly WalletCoin[], rate: number, most = mostInputs): WalletCoin[] {
  return coins
    .filter(({ amount }) => amount > feeUp(inputSize, rate))
    .sort((a, b) =>
      a.amount === b.amount
        ? outpointKey(a.outpoint) < outpointKey(b.outpoint)
          ? -1
          : 1
        : a.amount < b.amount
          ? 1
          : -1,
    )
    .slice(0, most);
}

/**
 * The coins to pay with, the largest first: such as leave nothing worth a change output where there are any (`exact`),
 * else as few as possible. Null when all of them together do not suffice. What they pay is reckoned by whoever asked,
 * and not here.
 */
export function chosenFrom(
  coins: readonly WalletCoin[],
  { outputs, own, rate, keep }: Choice,
): { readonly coins: readonly WalletCoin[]; readonly exact: boolean } | null {
  const worth = worthSpending(coins, rate, mostInputs - keep.length);
  const scripts = outputs.map(({ script }) => script);
  const perByte = BigInt(Math.ceil(rate * Number(fine)));
  const feeOf = (count: number, of: readonly Uint8Array[]): bigint => perByte * BigInt(sendSize(count, of));
  const target = outputs.reduce((sum, { amount }) => sum + amount, 0n) * fine;
  const leftOver = ({ count, total }: Sum, of: readonly Uint8Array[]): bigint => total - target - feeOf(count, of);
  // What a choice may leave over without change: less than change would cost.
  const waste = changeWaste(rate) * fine;

  function accumulated(withoutChange: boolean): Sum | null {
    let sum: Sum = {
      coins: keep,
      count: keep.length,
      total: keep.reduce((all, { amount }) => all + amount, 0n) * fine,
    };
    if (keep.length > 0 && leftOver(sum, scripts) >= 0n) return sum;
    for (const coin of worth) {
      const more = { coins: [...sum.coins, coin], count: sum.count + 1, total: sum.total + coin.amount * fine };
      if (withoutChange && leftOver(more, scripts) > waste) continue;
      sum = more;
      if (leftOver(sum, scripts) >= 0n) return sum;
    }
    return null;
  }

  const chosen = accumulated(true) ?? accumulated(false);
  return chosen && { coins: chosen.coins, exact: leftOver(chosen, [...scripts, own]) <= waste };
}

/** Coins, their number, and what they hold in thousandths of a sat. */
interface Sum {
  readonly coins: readonly WalletCoin[];
  readonly count: number;
  readonly total: bigint;
}
