import { describe } from 'vitest';
import { findDaemons } from './build.ts';

/** A described group that is skipped, with the reason in its name, where the daemons are not built. */
export function onDaemons(name: string, tests: () => void): void {
  const found = findDaemons();
  if ('absent' in found) describe.skip(`${name} (not run: ${found.absent})`, tests);
  else describe(name, tests);
}
