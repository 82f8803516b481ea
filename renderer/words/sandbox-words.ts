import { sandbox } from './en/sandbox.ts';
import { translated } from './translation.ts';

/** The sentences of the sandbox's page: they come with it, and not with what a newcomer opens first. */
export const sandboxWords: typeof sandbox = translated('sandbox', sandbox);
