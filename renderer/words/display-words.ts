import { display } from './en/display.ts';
import { translated } from './translation.ts';

/** Sentences about fiat and explorers: they come where one of them is shown. */
export const displayWords: typeof display = translated('display', display);
