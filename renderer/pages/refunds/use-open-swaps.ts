import { useEffect, useState } from 'react';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { client, useRecords } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';

/** Every open swap, however many are over; read anew whenever something happened. */
export function useOpenSwaps(): { swaps: readonly TakerSwap[] | null; trouble: string | null } {
  const changes = useRecords((state) => state.changes);
  const [swaps, setSwaps] = useState<readonly TakerSwap[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    openSwaps()
      .then((read) => {
        if (!wanted) return;
        setSwaps(read);
        setTrouble(null);
      })
      .catch((error: unknown) => void (wanted && setTrouble(troubleText(error))));
    return () => {
      wanted = false;
    };
  }, [changes]);
  return { swaps, trouble };
}

async function openSwaps(): Promise<readonly TakerSwap[]> {
  const rows: TakerSwap[] = [];
  let cursor: string | null = null;
  do {
    const page: { swaps: TakerSwap[]; next_cursor: string | null } = await client().call('takerSwaps', {
      query: { show: 'open', limit: 200, ...(cursor === null ? {} : { cursor }) },
    });
    rows.push(...page.swaps);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
}
