import { sameBytes } from '../../domain/hash.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import type { Watch } from '../../swap/machine.ts';

/** The coin that a swap counted or takes, and those at a script that it has in an operator's queue. */
export function namedCoins(
  progress: { readonly at: string },
  watches: readonly Watch[],
  script: Uint8Array,
): readonly Outpoint[] {
  const queued = watches.flatMap((one) => (one.on === 'queue' && sameBytes(one.script, script) ? one.coins : []));
  return 'coin' in progress && isOutpoint(progress.coin) ? [progress.coin, ...queued] : queued;
}

function isOutpoint(value: unknown): value is Outpoint {
  return typeof value === 'object' && value !== null && 'txid' in value && 'vout' in value;
}
