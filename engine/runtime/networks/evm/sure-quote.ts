import { isRefusal, refuse, type Refusal } from '../../../domain/errors.ts';
import { failedOnEvm } from '../../../legs/evm/failures.ts';
import type { DexPort, DexQuery, DexQuote } from '../../../quote/ports.ts';

/**
 * What an exchange gives now, by no one RPC's word: it bounds what is exchanged, and whoever named it could take the
 * rest (facts/faults.md 345). Of little, which `isLittle` says, one is enough while others are silent. Refused while
 * they differ.
 */
export async function sureQuote(
  dex: Pick<DexPort, 'quote'>,
  query: DexQuery,
  isLittle: (quote: DexQuote) => boolean,
): Promise<DexQuote | Refusal> {
  try {
    return await dex.quote(query, { agreed: true });
  } catch (cause) {
    if (failedOnEvm(cause, 'evm-disagreement')) return refuse('unavailable', cause.message);
    if (!failedOnEvm(cause, 'evm-away')) throw cause;
    const quote = await dex.quote(query);
    if (isRefusal(quote) || isLittle(quote)) return quote;
    throw cause;
  }
}
