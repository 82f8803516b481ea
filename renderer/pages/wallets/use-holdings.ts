import { useEffect, useState } from 'react';
import { client, useRecords } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { holdingsOf, type Holding, type TokenFacts } from './holdings.ts';

/** What every wallet holds, read anew whenever something happened; null until it was read. */
export function useHoldings(): { holdings: readonly Holding[] | null; trouble: string | null } {
  const changes = useRecords((state) => state.changes);
  const [holdings, setHoldings] = useState<readonly Holding[] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    Promise.all([client().call('ownerBalances'), tokenFacts()])
      .then(([{ balances }, tokens]) => {
        if (!wanted) return;
        setHoldings(holdingsOf(balances, tokens));
        setTrouble(null);
      })
      .catch((error: unknown) => void (wanted && setTrouble(troubleText(error))));
    return () => {
      wanted = false;
    };
  }, [changes]);
  return { holdings, trouble };
}

const tokensOnce = new Map<string, TokenFacts>();

/** A token stays what it is: asked for until they are known, for a node that is paused names none. */
async function tokenFacts(): Promise<ReadonlyMap<string, TokenFacts>> {
  if (tokensOnce.size > 0) return tokensOnce;
  const { evm_tokens } = await client().call('tokens');
  for (const { chain, token_id, symbol, decimals } of evm_tokens)
    tokensOnce.set(`evm:${chain} ${token_id.toLowerCase()}`, { symbol, decimals });
  return tokensOnce;
}
