import { useCallback, useEffect, useRef, useState } from 'react';
import type { TakerSwap, TakerSwaps } from '../../../engine/contract/taker-swap.ts';
import { client, useRecords } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { queryOf, withNewest, withOlder, type Narrowing } from './list.ts';

const pageSize = 100;

export interface SwapList {
  /** Null until the first page was read. */
  readonly rows: readonly TakerSwap[] | null;
  readonly counts: TakerSwaps['counts'] | null;
  readonly complete: boolean;
  readonly trouble: string | null;
  readonly more: () => void;
}

interface Read {
  readonly of: Narrowing;
  readonly rows: readonly TakerSwap[];
  readonly next: string | null;
}

/** The owner's swaps page by page, the newest read anew whenever something happened. */
export function useSwapList(narrowing: Narrowing): SwapList {
  const changes = useRecords((state) => state.changes);
  const [read, setRead] = useState<Read | null>(null);
  const [counts, setCounts] = useState<TakerSwaps['counts'] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const reading = useRef(false);

  useEffect(() => {
    let wanted = true;
    client()
      .call('takerSwaps', { query: queryOf(narrowing, null, pageSize) })
      .then((reply) => {
        if (!wanted) return;
        setCounts(reply.counts);
        setTrouble(null);
        setRead((before) =>
          before?.of === narrowing
            ? { ...before, rows: withNewest(before.rows, reply.swaps) }
            : { of: narrowing, rows: reply.swaps, next: reply.next_cursor },
        );
      })
      .catch((error: unknown) => void (wanted && setTrouble(troubleText(error))));
    return () => {
      wanted = false;
    };
  }, [narrowing, changes]);

  const current = read?.of === narrowing ? read : null;
  const next = current?.next ?? null;
  const more = useCallback(() => {
    if (next === null || reading.current) return;
    reading.current = true;
    client()
      .call('takerSwaps', { query: queryOf(narrowing, next, pageSize) })
      .then((reply) =>
        setRead((before) =>
          before?.of === narrowing && before.next === next
            ? { of: narrowing, rows: withOlder(before.rows, reply.swaps), next: reply.next_cursor }
            : before,
        ),
      )
      .catch((error: unknown) => setTrouble(troubleText(error)))
      .finally(() => {
        reading.current = false;
      });
  }, [narrowing, next]);

  return { rows: current?.rows ?? null, counts, complete: current !== null && next === null, trouble, more };
}

/** Every swap that the list is narrowed to, for a file. */
export async function allSwaps(narrowing: Narrowing): Promise<readonly TakerSwap[]> {
  let rows: readonly TakerSwap[] = [];
  let cursor: string | null = null;
  do {
    const reply: TakerSwaps = await client().call('takerSwaps', { query: queryOf(narrowing, cursor, 200) });
    rows = withOlder(rows, reply.swaps);
    cursor = reply.next_cursor;
  } while (cursor !== null);
  return rows;
}
