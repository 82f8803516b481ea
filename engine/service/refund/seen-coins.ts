import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { Event } from '../../swap/machine.ts';

/** Coins of a VHTLC's script as the operator lists them, for a machine: nobody has read yet what spent one. */
export function seenCoins(coins: readonly Vtxo[]): Event & { readonly is: 'vhtlc.seen' } {
  return { is: 'vhtlc.seen', coins: coins.map((coin) => ({ ...coin, spend: coin.spent ? 'unknown' : null })) };
}
