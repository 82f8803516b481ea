import { useEffect, useState } from 'react';
import { isEvm } from '../../engine/domain/chain.ts';
import { client, useRecords } from './records.ts';

/** What is given: `btc`, or a token; `less` is null where no exchange takes more of it than was said. */
interface Given {
  readonly network: string;
  readonly token: string;
  readonly less: number | null;
}

/**
 * What a wallet of the node can pay into a swap now, in the smallest units: of the Bitcoin wallet what even the dearest
 * speed leaves, on an EVM chain the token that lies at the account of the own swaps.
 */
export function useMostPaid({ network, token, less }: Given): string | null {
  const free = useFree(network);
  const atAccount = useAtAccount(less === null ? network : null, token);
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
  if (isEvm(network)) return atAccount;
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

/** What of a token no open swap waits for at the account of the own swaps; null until that was read, and elsewhere. */
function useAtAccount(network: string | null, token: string): string | null {
  const changes = useRecords((state) => state.changes);
  const [held, setHeld] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    setHeld(null);
    if (network === null || !isEvm(network)) return;
    client()
      .call('takerAccounts')
      .then(({ accounts }) => {
        const holdings = accounts.find((one) => one.network === network)?.holdings ?? [];
        const row = holdings.find(({ asset }) => asset.toLowerCase() === token.toLowerCase());
        if (!stale) setHeld(row?.available ?? null);
      })
      // Whoever asks shows less without it.
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [network, token, changes]);
  return held;
}
