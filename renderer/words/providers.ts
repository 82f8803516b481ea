import { providers } from './en/providers.ts';

/** Sentences about providers: they come with what compares and keeps them, and not before. */
export const providerWords: typeof providers = providers;
