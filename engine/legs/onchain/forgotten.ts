import type { BitcoinWalletPort } from './wallet-port.ts';

/** Keys of a branch that one look takes in: a node without an index of scripts reads all its coins for each look. */
export const keysAtOnce = 250;
/**
 * So many keys without a coin are the end: each claim pays to a key of its own, and each payment has its change at one.
 */
const mostBeyond = 1_000;
/** However many coins a source names. */
const mostLooks = 40;

/**
 * What lies at keys of the wallet that the database does not know of (facts/faults.md 99). In steps, between which
 * others have their turn at the chain. Whether it came to its end.
 */
export async function findForgotten(
  wallet: Pick<BitcoinWalletPort, 'lookBeyond'>,
  goesOn: () => boolean,
): Promise<boolean> {
  let beyond = 0;
  for (let look = 0; look < mostLooks && beyond < mostBeyond; look++) {
    if (!goesOn()) return false;
    beyond = (await wallet.lookBeyond(beyond)) ? 0 : beyond + keysAtOnce;
  }
  return true;
}
