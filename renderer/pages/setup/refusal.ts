import type { SetupRefusal } from '../../../preload/setup.ts';
import { words } from '../../words/words.ts';

/** A refusal of the first run as a sentence. */
export function refusalText({ why, place, near = [], count }: SetupRefusal): string {
  if (why === 'unlisted' && place !== undefined) return words.setup.wordAt(place, near.join(', '));
  const extra =
    count === undefined ? '' : why === 'word-count' ? ` ${words.setup.words(count)}` : ` ${words.setup.needs(count)}`;
  return `${words.setup.why[why]}${extra}`;
}
