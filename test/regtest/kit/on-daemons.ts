import { describe } from 'vitest';
import { daemonsOf, findDaemons } from './build.ts';

/** A described group whose name says what it ran over; skipped, with the reason in its name, where the daemons are not built. */
export function onDaemons(name: string, tests: () => void, others: readonly string[] = []): void {
  const daemons = findDaemons();
  if ('absent' in daemons) describe.skip(`${name} (not run: ${daemons.absent})`, tests);
  else describe(`${name} (over ${[...daemonsOf, ...others].join(', ')})`, tests);
}
