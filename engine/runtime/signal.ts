/**
 * For two that need each other: the one that is made first tells, and the one that is made later listens. What nobody
 * listens to yet is lost.
 */
export interface Signal<T> {
  tell(value: T): void;
  on(listener: (value: T) => void): () => void;
}

export function createSignal<T>(): Signal<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    tell(value) {
      for (const listener of listeners) listener(value);
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
