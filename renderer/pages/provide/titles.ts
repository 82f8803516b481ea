import type { ChecklistStep } from '../../../engine/contract/owner/checklist.ts';
import { networkName } from '../../format/networks.ts';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { directionWords } from '../../words/direction-words.ts';
import { words as common } from '../../words/words.ts';

type Group = keyof typeof words.groups;

const groupOf: Readonly<Record<ChecklistStep['part'], Group>> = {
  seed: 'keys',
  bundle: 'keys',
  machine: 'keys',
  network: 'networks',
  contracts: 'networks',
  liquidity: 'liquidity',
  prices: 'terms',
  alerts: 'terms',
  rehearsal: 'rehearsals',
  wallets: 'wallets',
  live: 'live',
};

/** The steps under their headings, in the order in which they came; the last one has its own place. */
export function grouped(steps: readonly ChecklistStep[]): readonly (readonly [Group, readonly ChecklistStep[]])[] {
  const groups = Object.keys(words.groups) as Group[];
  return groups
    .filter((group) => group !== 'live')
    .map((group) => [group, steps.filter(({ part }) => groupOf[part] === group)] as const)
    .filter(([, own]) => own.length > 0);
}

/** What a step is about, in as few words as its heading. */
export function titleOf({ id, part, network, direction }: ChecklistStep): string {
  const on = network === undefined ? '' : networkName(network);
  switch (part) {
    case 'network':
      return words.titles[id] ?? common.settings.connections[id] ?? on;
    case 'contracts':
      return words.contracts(on);
    case 'liquidity':
      return words.liquidity(on);
    case 'rehearsal':
      if (direction === undefined) break;
      return on === '' ? directionWords[direction] : words.onChain(directionWords[direction], on);
    default:
  }
  return words.titles[id] ?? id;
}
