import { prices } from './en/prices.ts';

/** Sentences about the node's own prices: they come with the settings, and not before. */
export const priceWords: typeof prices = prices;
