import type { Watch } from '../../swap/machine.ts';
import { keyOf } from './refunding.ts';
import type { VhtlcSourceProgress, VhtlcSourceTerms } from './terms.ts';

/** What is looked at around coins of ours at a VHTLC: the script, the queue in which they may leave the operator, and the provider's word. */
export function sourceWatches(
  t: VhtlcSourceTerms,
  { at, deal }: Pick<VhtlcSourceProgress, 'deal'> & { readonly at: string },
) {
  const { source, swapId } = deal;
  return {
    vhtlc: { on: 'vhtlc', terms: source.vhtlc, script: source.script },
    queue: { on: 'queue', script: source.script, key: keyOf(t), always: at === 'refunding' },
    provider: { on: 'provider', provider: t.provider, swapId },
  } as const satisfies Record<string, Watch>;
}
