import { leastSpread, rememberSpread, type SpreadMemory } from '../../quote/inventory.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Direction } from '../directions/direction.ts';

/** What was added to fees lately, so that no create adds more than its client was told. */
export interface Spreads {
  /** A quote told it. */
  note(of: Direction, spread: number): void;
  /** What a create adds where a quote would tell `spread` now. */
  due(of: Direction, spread: number): number;
}

export function createSpreads({ clock }: Pick<Runtime, 'clock'>): Spreads {
  const memories = new Map<string, SpreadMemory>();
  const key = ({ name, evm }: Direction): string => `${name}/${evm ?? ''}`;
  const memoryOf = (of: Direction): SpreadMemory => memories.get(key(of)) ?? new Map();
  return {
    note(of, spread) {
      memories.set(key(of), rememberSpread(memoryOf(of), spread, clock.now().wall));
    },
    due: (of, spread) => leastSpread(memoryOf(of), spread, clock.now().wall),
  };
}
