/** Values by key, those that were put last: so many at most, and of so many bytes together. */
export interface Latest<K, V> {
  get(key: K): V | undefined;
  put(key: K, value: V): void;
}

/** The last one stays, however large it is. */
export function createLatest<K, V>(most: number, mostBytes: number, bytesOf: (value: V) => number): Latest<K, V> {
  const values = new Map<K, V>();
  let bytes = 0;

  function drop(key: K): void {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    bytes -= bytesOf(value);
  }

  return {
    get: (key) => values.get(key),
    put(key, value) {
      drop(key);
      values.set(key, value);
      bytes += bytesOf(value);
      for (const oldest of values.keys()) {
        if (oldest === key || (values.size <= most && bytes <= mostBytes)) break;
        drop(oldest);
      }
    },
  };
}
