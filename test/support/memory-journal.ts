import type { Journal } from '../../engine/sandbox/world/journal.ts';

/** A journal that forgets, for worlds that live inside one test. */
export function memoryJournal(): Journal {
  const tables = new Map<string, Map<string, string>>();
  function table(name: string): Map<string, string> {
    const rows = tables.get(name) ?? new Map<string, string>();
    tables.set(name, rows);
    return rows;
  }
  return {
    put: (name, key, row) => void table(name).set(key, JSON.stringify(row)),
    remove: (name, key) => void table(name).delete(key),
    rows: (name) => [...table(name)].map(([key, text]) => [key, JSON.parse(text)]),
    atomically: (work) => work(),
  };
}
