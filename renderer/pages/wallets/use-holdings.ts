import type { TakerAccounts } from '../../../engine/contract/taker-accounts.ts';
import { useReading } from '../../stores/reading.ts';
import { client } from '../../stores/records.ts';
import { holdingsOf, type Holding, type TokenFacts } from './holdings.ts';

export interface Holdings {
  readonly holdings: readonly Holding[] | null;
  readonly trouble: string | null;
}

/** What every wallet holds, read anew whenever something happened; null until it was read. */
export function useHoldings(): Holdings {
  const { value, trouble } = useReading('holdings', async () => {
    const [{ balances }, tokens] = await Promise.all([client().call('ownerBalances'), tokenFacts()]);
    return holdingsOf(balances, tokens);
  });
  return { holdings: value, trouble };
}

/** Its chains are asked for it: seldom, and not at every change of a swap. */
const everySeconds = 15;

/** What lies at the account of the own swaps, by chain; null until it was read, and on a node that has none. */
export function useSwapAccounts(): TakerAccounts['accounts'] | null {
  const { value } = useReading(
    'swap accounts',
    async () => (await client().call('takerAccounts')).accounts,
    everySeconds,
  );
  return value;
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
