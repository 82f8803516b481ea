import { en } from './en/catalogue.ts';

/** Every sentence of the page. A translation is a folder beside `en` with the same shape. */
export type Words = typeof en;

export const words: Words = en;
