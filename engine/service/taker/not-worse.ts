import type { TakerSwapRequest } from '../../contract/taker.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Ordering } from '../../taker/direction.ts';

/**
 * A provider whose quote may not be worse than the one that the owner looked at, to the last unit: a quote names what
 * its create charges. The record is held to this quote, so that neither of the two can be better than the swap.
 */
export function notWorse(
  provider: Ordering['provider'],
  { mostSource, leastTarget, evm }: Pick<TakerSwapRequest, 'mostSource' | 'leastTarget' | 'evm'>,
): Ordering['provider'] {
  const judged = <Q extends { readonly source: bigint; readonly target: bigint }>(
    quoted: Q | Refusal,
    most: bigint | undefined,
  ): Q | Refusal => {
    if (isRefusal(quoted)) return quoted;
    if (leastTarget !== undefined && quoted.target < leastTarget)
      return worse(`${quoted.target} would arrive, at least ${leastTarget} were agreed`);
    if (most !== undefined && quoted.source > most)
      return worse(`${quoted.source} would have to be given, at most ${most} were agreed`);
    return quoted;
  };
  return {
    quote: async (direction, pinned) => judged(await provider.quote(direction, pinned), mostSource),
    async quoteOnEvm(direction, token, pinned) {
      // What is agreed of another token is compared by the order, with what our own exchange takes of it.
      const isOther = evm !== undefined && evm.token !== null && !sameBytes(evm.token, token.wanted.address);
      return judged(await provider.quoteOnEvm(direction, token, pinned), isOther ? undefined : mostSource);
    },
  };
}

function worse(fact: string): Refusal {
  return refuse('forbidden', `The price got worse: ${fact}. Nothing was begun; look at the new price.`);
}
