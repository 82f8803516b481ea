import { sameOutpoint, type Outpoint } from '../../domain/outpoint.ts';

/**
 * Whether an event is about a transaction that takes this coin. What was begun for another coin of the swap answers all
 * the same; one that names no coin is of an earlier build.
 *
 * Loses money when wrong: the end of another transaction taken for the end of ours, and a coin that nobody takes any
 * more.
 */
export function takes({ coin }: { readonly coin?: Outpoint }, own: Outpoint): boolean {
  return coin === undefined || sameOutpoint(coin, own);
}
