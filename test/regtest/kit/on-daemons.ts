import { describe } from 'vitest';
import { findDaemons } from './build.ts';

/** A described group that is skipped, with the reason in its name, where the daemons are not built. */
export function onDaemons(name: string, tests: () => void): void {
  const daemons = findDaemons();
  if ('absent' in daemons) describe.skip(`${name} (not run: ${daemons.absent})`, tests);
  else describe(name, tests);
}
