import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { canComeBack, comesBackOf, isUnderWay } from './payment.ts';

type Side = TakerSwap['give'];

/** What is on its way: paid and neither arrived nor back. */
export interface Flight {
  readonly open: number;
  readonly needsYou: number;
  /** Of those that need their owner, or not: whose money can be lost. */
  readonly danger: number;
  /** One sum for each asset, in its smallest units. */
  readonly amounts: readonly Pick<Side, 'amount' | 'decimals' | 'symbol'>[];
  /** When the last of it can be taken back with nobody's help; null where one of them has no such date. */
  readonly backBy: number | null;
  /** That date has passed for all of it, by the chains' own clocks. */
  readonly backNow: boolean;
}

export function flightOf(swaps: readonly TakerSwap[]): Flight {
  const open = swaps.filter((swap) => swap.open);
  const flying = open.filter(isUnderWay);
  const sums = new Map<string, Side>();
  for (const swap of flying) {
    const given = comesBackOf(swap);
    const sum = BigInt(sums.get(given.symbol)?.amount ?? '0') + BigInt(given.amount);
    sums.set(given.symbol, { ...given, amount: String(sum) });
  }
  const dates = flying.map((swap) => (canComeBack(swap) ? swap.times.refund_alone_from : null));
  return {
    open: open.length,
    needsYou: open.filter(refundNeedsYou).length,
    danger: open.filter(({ attention }) => attention === 'danger').length,
    amounts: [...sums.values()],
    backNow:
      flying.length > 0 && flying.every(({ times: { now } }, i) => now !== null && (dates[i] ?? Infinity) <= now),
    backBy: dates.includes(null) ? null : Math.max(...dates.map(Number)),
  };
}

/** Something is to be taken back, and the owner has to say so. */
export function refundNeedsYou(swap: TakerSwap): boolean {
  const { phase, attention, refund } = swap;
  const wanted = attention === 'needs-you' || attention === 'danger';
  return wanted && isUnderWay(swap) && (phase === 'refund' || refund.state === 'possible');
}
