import { en } from './en/catalogue.ts';
import { inLanguage } from './translation.ts';

/** Every sentence of the page that comes with its first script, in the language that was chosen. */
export type Words = typeof en;

export const words: Words = inLanguage(en);
