import { toHex } from './hex.ts';

/** Coins by the script that they lie at, as hex; each script's in the order in which they are listed. */
export function coinsByScript<C extends { readonly script: Uint8Array }>(coins: readonly C[]): Map<string, C[]> {
  return Map.groupBy(coins, ({ script }) => toHex(script));
}
