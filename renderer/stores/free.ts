import { useEffect, useState } from 'react';
import { client, useRecords } from './records.ts';

/**
 * The sats that lie free in the node's wallet on that network, read anew whenever something happened; null until then.
 */
export function useFree(network: string): string | null {
  const changes = useRecords((state) => state.changes);
  const [free, setFree] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    client()
      .call('ownerBalances')
      .then(({ balances }) => {
        if (!stale)
          setFree(
            balances.find((row) => row.network === network && row.asset === 'btc' && row.as_of === undefined)
              ?.available ?? null,
          );
      })
      // Whoever asks shows less without it.
      .catch(() => (stale ? undefined : setFree(null)));
    return () => {
      stale = true;
    };
  }, [network, changes]);
  return free;
}
