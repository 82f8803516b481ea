import type { TakerSwap } from '../../engine/contract/taker-swap.ts';

type Side = TakerSwap['give'];

/** What is on its way: paid and neither arrived nor back. */
export interface Flight {
  readonly open: number;
  readonly needsYou: number;
  readonly danger: boolean;
  /** One sum for each asset, in its smallest units. */
  readonly amounts: readonly Pick<Side, 'amount' | 'decimals' | 'symbol'>[];
  /** When the last of it can be taken back with nobody's help; null where one of them has no such date. */
  readonly backBy: number | null;
  /** That date has passed for all of it, by the chains' own clocks. */
  readonly backNow: boolean;
}

const paid: ReadonlySet<TakerSwap['phase']> = new Set(['wait', 'claim', 'refund']);

export function flightOf(swaps: readonly TakerSwap[]): Flight {
  const open = swaps.filter((swap) => swap.open);
  const flying = open.filter((swap) => paid.has(swap.phase));
  const sums = new Map<string, Side>();
  for (const { give } of flying) {
    const sum = BigInt(sums.get(give.symbol)?.amount ?? '0') + BigInt(give.amount);
    sums.set(give.symbol, { ...give, amount: String(sum) });
  }
  const dates = flying.map(({ times }) => times.refund_alone_from);
  return {
    open: open.length,
    needsYou: open.filter(refundNeedsYou).length,
    danger: open.some(({ attention }) => attention === 'danger'),
    amounts: [...sums.values()],
    backNow:
      flying.length > 0 &&
      flying.every(({ times: { now, refund_alone_from: alone } }) => now !== null && alone !== null && alone <= now),
    backBy: dates.includes(null) ? null : Math.max(...dates.map(Number)),
  };
}

/** Something is to be taken back, and the owner has to say so. */
export function refundNeedsYou({ phase, attention, refund }: TakerSwap): boolean {
  return (attention === 'needs-you' || attention === 'danger') && (phase === 'refund' || refund.state === 'possible');
}
