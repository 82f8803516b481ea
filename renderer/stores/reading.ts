import { useEffect, useState } from 'react';
import { useRecords } from './records.ts';
import { troubleText } from './trouble.ts';

export interface Reading<T> {
  /** What was read last; it stays while the node does not answer. Null until it was read for the first time. */
  readonly value: T | null;
  readonly trouble: string | null;
}

/**
 * What `read` answers, asked again whenever the node tells of a change, or only every `everySeconds`. `key` says what
 * is read: another key is another thing, and `read` may be a new function each time.
 */
export function useReading<T>(key: string, read: () => Promise<T>, everySeconds?: number): Reading<T> {
  const changes = useRecords((state) => state.changes);
  const [ticks, setTicks] = useState(0);
  const [last, setLast] = useState<Reading<T> & { readonly key: string }>({ key, value: null, trouble: null });
  useEffect(() => {
    if (everySeconds === undefined) return;
    const timer = setInterval(() => setTicks((count) => count + 1), everySeconds * 1_000);
    return () => clearInterval(timer);
  }, [everySeconds]);
  const turn = everySeconds === undefined ? changes : ticks;
  useEffect(() => {
    let stale = false;
    read()
      .then((value) => (stale ? undefined : setLast({ key, value, trouble: null })))
      .catch((error: unknown) => {
        if (stale) return;
        const trouble = troubleText(error);
        setLast((before) => ({ key, value: before.key === key ? before.value : null, trouble }));
      });
    return () => {
      stale = true;
    };
    // `read` is the same for the same key.
  }, [key, turn]);
  return last.key === key ? last : { value: null, trouble: null };
}
