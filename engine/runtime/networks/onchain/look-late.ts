import type { Unix } from '../../../domain/time.ts';
import type { OnchainEvent } from '../../../legs/onchain/events.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import type { OnchainWatch } from '../../../legs/onchain/watch.ts';
import { name, newReading, readHtlc } from './read-htlc.ts';
import type { Given } from './read-spend.ts';

/**
 * Asks once for the spends of the coins that a swap knows of, and for nothing else: a listing of a script that nobody
 * watches any more would have a node read its whole set of coins. Null while one of them is not known to be spent in a
 * block.
 */
export async function lookLate(
  { terms, coins }: OnchainWatch,
  { bitcoin, given, wall }: { readonly bitcoin: BitcoinPort; readonly given: Given; readonly wall: Unix },
): Promise<(OnchainEvent & { is: 'htlc.seen' }) | null> {
  const tip = await bitcoin.tip();
  const reading = newReading(terms, given);
  name(reading, coins);
  const seen = await readHtlc(reading, null, { bitcoin, tip });
  const isOver = seen.length === coins.length && seen.every(({ spend }) => spend !== null && spend.height !== null);
  return isOver ? { is: 'htlc.seen', coins: seen, height: tip.height, mtp: tip.mtp, asked: wall } : null;
}
