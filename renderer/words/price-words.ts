import { prices } from './en/prices.ts';
import { translated } from './translation.ts';

/** Sentences about the node's own prices: they come with the settings, and not before. */
export const priceWords: typeof prices = translated('prices', prices);
