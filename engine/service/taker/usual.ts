import type { TakerDirection } from '../../domain/chain.ts';
import { isRefusal } from '../../domain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { takerSwaps } from './list.ts';

/** Of the newest that finished, so many are looked at. */
const looked = 50;
/** Fewer are no habit. */
const fewest = 3;

/**
 * From payment to arrival, in the middle of what our own swaps with each provider took in seconds; null for one with
 * few of them.
 */
export function usualTimes(
  context: Pick<ServiceContext, 'runtime' | 'networks'>,
  direction: TakerDirection,
): (provider: string) => number | null {
  const page = takerSwaps(context, { text: null, show: 'finished', network: null, cursor: null, limit: looked });
  const swaps = isRefusal(page) ? [] : page.swaps.filter((swap) => swap.direction === direction);
  return (provider) => {
    const times = swaps.flatMap(({ provider_url, steps }) => {
      const paid = steps.find(({ step }) => step === 'pay')?.time ?? null;
      const arrived = steps.at(-1)?.time ?? null;
      return provider_url !== provider || paid === null || arrived === null ? [] : [Math.max(0, arrived - paid)];
    });
    const middle = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
    return times.length < fewest ? null : (middle ?? null);
  };
}
