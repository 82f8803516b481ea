import type { EffectRow } from '../store/effects.ts';

/** The name of a queue: the effects of one leg of one swap are done in their order, and wait for no other's. */
export function queueOf({ subject, leg }: Pick<EffectRow, 'subject' | 'leg'>): string {
  return `${leg} ${subject}`;
}
