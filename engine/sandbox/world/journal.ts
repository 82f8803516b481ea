/**
 * Where a world keeps what must survive a restart: rows of JSON by table and key. Every change is durable when `put`
 * returns, against the end of the process (not of the machine).
 */
export interface Journal {
  put(table: string, key: string, row: unknown): void;
  remove(table: string, key: string): void;
  rows(table: string): [key: string, row: unknown][];
  /** Makes the puts inside durable together or not at all. */
  atomically<T>(work: () => T): T;
}

/** A journal that forgets, for worlds that live inside one test. */
export function memoryJournal(): Journal {
  const tables = new Map<string, Map<string, string>>();
  function table(name: string): Map<string, string> {
    const known = tables.get(name) ?? new Map<string, string>();
    tables.set(name, known);
    return known;
  }
  return {
    put: (name, key, row) => void table(name).set(key, JSON.stringify(row)),
    remove: (name, key) => void table(name).delete(key),
    rows: (name) => [...table(name)].map(([key, text]) => [key, JSON.parse(text)]),
    atomically: (work) => work(),
  };
}
