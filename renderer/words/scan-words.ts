import { scan } from './en/scan.ts';
import { translated } from './translation.ts';

/** The sentences of the scanner: they come with it. */
export const scanWords: typeof scan = translated('scan', scan);
