import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { commitOf } from './git-commit.ts';

/** Put in by a build; where the sources run as they are, nobody defines it. */
declare const SLUICE_COMMIT: string | undefined;

/** What `/version` says, read once: the commit is that of the build, or of the checkout that runs, or `unknown`. */
export const version = {
  tag: manifest.version,
  commit: typeof SLUICE_COMMIT === 'string' ? SLUICE_COMMIT : commitOf(join(import.meta.dirname, '..')),
};
