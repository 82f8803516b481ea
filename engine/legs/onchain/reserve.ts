import { less, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { FeeReserve } from './fee-reserve.ts';
import { mostSendable, planSend, type SendAsk, type SendPlan } from './send.ts';
import { feeUp, outputSize } from './size.ts';
import type { WalletCoin } from './wallet-coin.ts';

export const nothingKept: FeeReserve = { coins: 0, each: noSats };

/** A coin of up to so many times what one is to hold is kept as it is: a larger one is worth more as a funding. */
const stillKept = 2n;

export function totalOf({ coins, each }: FeeReserve): Sats {
  return sats(BigInt(coins) * each);
}

/** The least coin that is free whatever the reserve wants. */
export function leastFree({ each }: Pick<FeeReserve, 'each'>): Sats {
  return sats(each * stillKept + 1n);
}

/** Whether a coin is one that the reserve would keep. */
export function isKept(amount: Sats, { each }: Pick<FeeReserve, 'each'>): boolean {
  return amount >= each && amount <= each * stillKept;
}

/** The smallest coins that can be kept are, the others are free; what is missing in coins must be left over in sats. */
export function setAside(
  coins: readonly WalletCoin[],
  reserve: FeeReserve,
): { readonly free: readonly WalletCoin[]; readonly missing: Sats } {
  const purses = coins
    .filter(({ amount }) => isKept(amount, reserve))
    .sort((a, b) =>
      a.amount === b.amount
        ? outpointKey(a.outpoint) < outpointKey(b.outpoint)
          ? -1
          : 1
        : a.amount < b.amount
          ? -1
          : 1,
    )
    .slice(0, reserve.coins);
  return {
    free: coins.filter((coin) => !purses.includes(coin)),
    missing: totalOf({ ...reserve, coins: reserve.coins - purses.length }),
  };
}

/** The most that could be paid beside the reserve: nothing comes back of it but what is missing of that. */
export function mostBeside(
  coins: readonly WalletCoin[],
  { script, changeScript, rate }: Pick<SendAsk, 'script' | 'changeScript' | 'rate'>,
  reserve: FeeReserve,
): Sats {
  const { free, missing } = setAside(coins, reserve);
  const most = mostSendable(free, script, rate);
  return missing === noSats ? most : less(most, plus(missing, feeUp(outputSize(changeScript), rate)));
}

/**
 * A payment from what is free beside the reserve (`planSend`): it spends none of the coins that are kept, and leaves
 * what is missing of them. Null when that does not suffice. Wrong: what is open cannot pay its fees when they are high.
 */
export function planBeside(
  coins: readonly WalletCoin[],
  ask: SendAsk & { readonly keep?: readonly WalletCoin[] },
  reserve: FeeReserve,
): SendPlan | null {
  const { free, missing } = setAside(coins, reserve);
  const plan = planSend(free, ask);
  if (plan === null || missing === noSats) return plan;
  const sum = (of: readonly WalletCoin[]): Sats => of.reduce((all, { amount }) => plus(all, amount), noSats);
  const untouched = sum(free.filter((coin) => !plan.coins.includes(coin)));
  const least = ask.leastChange ?? noSats;
  if (plus(untouched, plan.change ?? noSats) >= plus(least, missing)) return plan;
  return planSend(free, { ...ask, leastChange: plus(least, missing) });
}
