import { useEffect, useState } from 'react';
import type { WithdrawalFees } from '../../../engine/contract/owner/wallets.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import { words } from '../../words/words.ts';
import type { Holding } from './holdings.ts';
import type { ReadySend } from './send-form.ts';

interface CoinGas {
  /** Most wei that it may cost; null until the node said so, and of everything else. */
  readonly mostGas: string | null;
  /** What is sent of all that there is; null where a figure was typed. */
  readonly amount: string | null;
  readonly trouble: string | null;
  /** Why it cannot be sent yet: what was not shown is not sent. */
  readonly notYet: string | null;
}

/** What sending the coin costs that pays for gas itself, as the node says it, and what that leaves of all of it. */
export function useCoinGas(holding: Holding, { address, amount }: ReadySend): CoinGas {
  const [coin, setCoin] = useState<WithdrawalFees['coin'] | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const { network, asset, gas, of } = holding;
  const asks = gas && of === 'node';
  useEffect(() => {
    if (!asks) return;
    let stale = false;
    client()
      .call('withdrawalFees', { params: { network }, body: { address, amount, asset } })
      .then((answer) => (stale ? undefined : setCoin(answer.coin ?? null)))
      .catch((error: unknown) => (stale ? undefined : setTrouble(troubleText(error))));
    return () => {
      stale = true;
    };
  }, [asks, network, address, amount, asset]);
  return {
    mostGas: coin?.most_gas ?? null,
    amount: amount === 'all' ? (coin?.arrives ?? null) : null,
    trouble,
    notYet: asks && coin === null ? words.wallets.feesUnknown : null,
  };
}
