import { providers } from './en/providers.ts';
import { translated } from './translation.ts';

/** Sentences about providers: they come with what compares and keeps them, and not before. */
export const providerWords: typeof providers = translated('providers', providers);
