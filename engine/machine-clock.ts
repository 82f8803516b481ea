import { unix, type Unix } from './domain/time.ts';

/** What this machine says that it is, in whole seconds: a guess, by which no timelock is ever judged. */
export function machineClock(): Unix {
  return unix(Math.floor(Date.now() / 1_000));
}
