import type { Outpoint } from '../../domain/outpoint.ts';
import type { Watch } from '../../swap/machine.ts';
import type { Stray } from '../../swap/halves/extra-coins.ts';
import { keyOf } from './taking.ts';
import type { VhtlcSourceProgress, VhtlcSourceTerms } from './terms.ts';

/** Coins whose queue is read: the provider takes what was paid, and dust is nobody's business. */
const mostQueued = 3;

function queuedCoins(coins: readonly Stray[]): Outpoint[] {
  return coins
    .filter(({ spent }) => !spent)
    .sort((a, b) => Number(b.amount - a.amount))
    .slice(0, mostQueued)
    .map(({ outpoint }) => outpoint);
}

/**
 * What is looked at around coins of ours at a VHTLC: the script, the queue in which they may leave the operator, and
 * the provider's word.
 */
export function sourceWatches(
  t: VhtlcSourceTerms,
  { at, deal, coins }: Pick<VhtlcSourceProgress, 'deal' | 'coins'> & { readonly at: string },
) {
  const { source, swapId } = deal;
  return {
    vhtlc: { on: 'vhtlc', terms: source.vhtlc, script: source.script },
    queue: {
      on: 'queue',
      script: source.script,
      key: keyOf(t),
      always: at === 'refunding',
      coins: queuedCoins(coins),
    },
    provider: { on: 'provider', provider: t.provider, swapId },
  } as const satisfies Record<string, Watch>;
}
