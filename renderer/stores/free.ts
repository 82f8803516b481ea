import { useEffect, useState } from 'react';
import { client, useRecords } from './records.ts';

/**
 * The sats that a wallet of the node can pay into a swap now: of the Bitcoin wallet what even the dearest speed leaves.
 */
export function useMostPaid(network: string): string | null {
  const free = useFree(network);
  const [paid, setPaid] = useState<string | null>(null);
  const isBitcoin = network === 'bitcoin';
  useEffect(() => {
    let stale = false;
    setPaid(null);
    if (!isBitcoin || free === null || free === '0') return;
    client()
      .call('withdrawalFees', { params: { network }, body: { amount: 'all', asset: 'btc' } })
      .then(({ fees }) => {
        const arrives = fees.flatMap((one) => one.arrives ?? []);
        if (!stale && arrives.length > 0) setPaid(String(Math.min(...arrives)));
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [network, isBitcoin, free]);
  if (isBitcoin) return paid;
  return network === 'arkade' ? free : null;
}

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
