import type { Vtxo } from '../../legs/vhtlc/port.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { coinsAtOutpoints } from './coins.ts';
import type { Operator } from './operator.ts';

/**
 * Coins of the wallet that somebody brought to the chain. The operator lists them beside every coin that was ever spent,
 * which is too much to read, so they are found by what goes missing from the others: since this node started.
 */
export function createStranded(operator: Operator) {
  let before = new Map<string, Vtxo>();
  const stranded = new Map<string, Vtxo>();

  return async (unspent: readonly Vtxo[], now: Unix): Promise<readonly Vtxo[]> => {
    const present = new Map(unspent.map((coin) => [outpointKey(coin.outpoint), coin]));
    const gone = [...before.values()].filter(({ outpoint }) => !present.has(outpointKey(outpoint)));
    const asked = gone.length === 0 ? [] : await coinsAtOutpoints(operator, gone.map(({ outpoint }) => outpoint), now);
    for (const coin of asked) if (coin.unrolled && !coin.spent) stranded.set(outpointKey(coin.outpoint), coin);
    before = present;
    return [...stranded.values()];
  };
}
