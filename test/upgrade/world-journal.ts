import type { Journal } from '../../engine/sandbox/world/journal.ts';

/** Rows as text, by table and key. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A journal in memory that begins with these rows and can be copied at any moment. */
export function keptJournal(rows: Rows = new Map()): Journal & { copy(): Rows } {
  const tables = new Map([...rows].map(([name, table]) => [name, new Map(table)]));
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
    copy: () => new Map([...tables].map(([name, rowsOf]) => [name, new Map(rowsOf)])),
  };
}
