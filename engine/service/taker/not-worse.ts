import type { TakerSwapRequest } from '../../contract/taker.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Ordering } from '../../taker/direction.ts';

/**
 * A provider whose quote may not be worse than the one that the owner looked at, to the last unit: a quote names what
 * its create charges. The record is held to this quote, so that neither of the two can be better than the swap.
 */
export function notWorse(
  provider: Ordering['provider'],
  { mostSource, leastTarget }: Pick<TakerSwapRequest, 'mostSource' | 'leastTarget'>,
): Ordering['provider'] {
  const judged = <Q extends { readonly source: bigint; readonly target: bigint }>(quoted: Q | Refusal): Q | Refusal => {
    if (isRefusal(quoted)) return quoted;
    if (leastTarget !== undefined && quoted.target < leastTarget)
      return worse(`${quoted.target} would arrive, at least ${leastTarget} were agreed`);
    if (mostSource !== undefined && quoted.source > mostSource)
      return worse(`${quoted.source} would have to be given, at most ${mostSource} were agreed`);
    return quoted;
  };
  return {
    quote: async (direction, pinned) => judged(await provider.quote(direction, pinned)),
    quoteOnEvm: async (direction, token, pinned) => judged(await provider.quoteOnEvm(direction, token, pinned)),
  };
}

function worse(fact: string): Refusal {
  return refuse('forbidden', `The price got worse: ${fact}. Nothing was begun; look at the new price.`);
}
