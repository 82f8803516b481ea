import { directionNames } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Store } from '../../store/store.ts';

/**
 * Whether strangers are offered swaps: what the owner set (`live`), else what the first look at this folder found. A
 * sandbox offers at once, and so does a folder that served swaps before there was such a setting; any other waits for
 * its owner. That look is kept, for the owner's own swaps with the node come later and make nothing live.
 */
export function createLive(options: {
  readonly store: Pick<Store, 'settings' | 'swaps'>;
  readonly sandbox: boolean;
  readonly setting: () => boolean | null;
}): () => boolean {
  const { setting } = options;
  const atFirst = options.sandbox || servedBefore(options.store);
  return () => setting() ?? atFirst;
}

const key = 'served-before';

function servedBefore({ settings, swaps }: Pick<Store, 'settings' | 'swaps'>): boolean {
  const answer = settings.get<boolean>(key);
  if (answer !== null) return answer;
  const served = directionNames.some((machine) => swaps.page({ machine, limit: 1 }).length > 0);
  settings.put(key, served);
  return served;
}

/** What a stranger is told until then. */
export const notLive: Refusal = refuse(
  'unavailable',
  'This node takes no swaps yet: its owner is still setting it up. Try again later.',
);

/** The same for its owner. */
export const notLiveForOwner =
  'Strangers are offered no swaps yet: npm run doctor -- --checklist --config FILE --data-dir DIR says what is left ' +
  'to do before live is set.';
