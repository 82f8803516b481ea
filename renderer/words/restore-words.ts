import { restore } from './en/restore.ts';
import { translated } from './translation.ts';

/** The sentences of the search for swaps: they come with its page. */
export const restoreWords: typeof restore = translated('restore', restore);
