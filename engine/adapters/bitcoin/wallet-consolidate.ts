import { outpointKey } from '../../domain/outpoint.ts';
import { planConsolidation, type Consolidation } from '../../legs/onchain/consolidate.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import type { BitcoinWalletPort, ConsolidationRequest } from '../../legs/onchain/wallet-port.ts';
import { sequences, signSend } from './sign-send.ts';
import type { BitcoinWalletOptions, WalletCoins } from './wallet-coins.ts';

type ConsolidationPart = Pick<BitcoinWalletPort, 'wantsConsolidation' | 'prepareConsolidation'>;

/** Makes better coins of the wallet's own. */
export function walletConsolidation(
  { keys, indexes }: Pick<BitcoinWalletOptions, 'keys' | 'indexes'>,
  { placeOf, judgedNow }: WalletCoins,
): ConsolidationPart {
  async function planned({ reserved, ...ask }: ConsolidationRequest): Promise<Consolidation | null> {
    const promised = new Set(reserved.map(outpointKey));
    const coins = (await judgedNow())
      .filter(({ state, outpoint }) => state === 'spendable' && !promised.has(outpointKey(outpoint)))
      .map(({ outpoint, amount, key }) => ({ outpoint, amount, key }));
    const { script: own } = placeOf('bitcoin-change', indexes.taken('bitcoin-change'));
    return planConsolidation(coins, { ...ask, own });
  }

  return {
    wantsConsolidation: async (request) => (await planned(request)) !== null,
    async prepareConsolidation(request) {
      const plan = await planned(request);
      if (plan === null)
        throw onchainFailure('no-coins', 'never', 'No coins of the wallet are worth joining or splitting now.');
      const { coins, fee } = plan;
      const outputs = plan.outputs.map((amount) => ({
        script: placeOf('bitcoin-change', indexes.take('bitcoin-change', 0)).script,
        amount,
      }));
      const { txid, bytes, vsize } = signSend(keys, { coins, outputs, sequence: sequences.replaceable });
      return { txid, bytes, coins, change: null, fee, rate: Number(fee) / vsize, capped: true };
    },
  };
}
