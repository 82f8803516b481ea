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
