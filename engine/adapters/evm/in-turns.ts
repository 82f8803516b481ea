import { setImmediate as nextTurn } from 'node:timers/promises';

/** What is read of a list in one turn of the event loop. */
const perTurn = 200;

/** What the members of a list say that strangers made as long as they like; nulls are left out. */
export async function readInTurns<T>(list: readonly unknown[], read: (one: unknown) => T | null): Promise<T[]> {
  const all: T[] = [];
  for (const [i, one] of list.entries()) {
    if (i % perTurn === perTurn - 1) await nextTurn();
    const value = read(one);
    if (value !== null) all.push(value);
  }
  return all;
}
