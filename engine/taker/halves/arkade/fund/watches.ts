import type { Outpoint } from '../../../../domain/outpoint.ts';
import type { ExtraCoin } from '../../../../swap/halves/extra-coins.ts';
import type { Watch } from '../../../../swap/machine.ts';
import type { At } from '../../fund.ts';
import { keyOf } from './taking.ts';
import type { ArkadeFundTerms, Base } from './terms.ts';

/** Coins whose queue is read: the provider takes what was paid, and dust is nobody's business. */
const mostQueued = 3;

function queuedCoins(coins: readonly ExtraCoin[]): Outpoint[] {
  return coins
    .filter(({ spent }) => !spent)
    .sort((a, b) => Number(b.amount - a.amount))
    .slice(0, mostQueued)
    .map(({ outpoint }) => outpoint);
}

/** The script of ours, the queue in which its coins may leave the operator, and the provider's word. */
export function watches(t: ArkadeFundTerms, { at, deal: { source, swapId }, coins }: At<Base>): Watch[] {
  const vhtlc: Watch = { on: 'vhtlc', terms: source.vhtlc, script: source.script };
  const provider: Watch = { on: 'provider', provider: t.provider, swapId };
  const queue: Watch = {
    on: 'queue',
    script: source.script,
    key: keyOf(t),
    always: at === 'refunding',
    coins: queuedCoins(coins),
  };
  switch (at) {
    case 'waiting':
    case 'claiming':
      return [vhtlc, provider];
    case 'funded':
      return [vhtlc, queue, provider];
    case 'asking':
    case 'refunding':
      return [vhtlc, queue];
    default:
      return [vhtlc];
  }
}
