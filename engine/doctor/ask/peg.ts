import { connectEvm } from '../../adapters/evm/connect.ts';
import type { Config } from '../../config.ts';
import { pegSourceOf } from '../../connections/peg-source.ts';
import { evmNetwork } from '../../domain/chain.ts';
import { unix } from '../../domain/time.ts';
import type { PegFacts } from '../judge/peg.ts';

/** Signs nothing: prices are asked by nobody in particular. */
const nobody = new Uint8Array(32).fill(1);

/** Of every chain with a pegged token, what says that it is worth a bitcoin. */
export async function askPegs({ evm, prices }: Pick<Config, 'evm' | 'prices'>, wall: number): Promise<PegFacts[]> {
  const chains = Object.fromEntries(
    Object.entries(evm).map(([id, { rpc }]) => [
      evmNetwork(id),
      connectEvm({ chainId: Number(id), rpc, key: nobody, boundTo: null, wall: () => unix(wall) }),
    ]),
  );
  return Promise.all(
    Object.entries(evm)
      .filter(([, { peggedToken }]) => peggedToken !== null)
      .map(async ([chainId, chain]): Promise<PegFacts> => {
        const source = pegSourceOf(evmNetwork(chainId), chain, prices.source, chains);
        if (source === null) return { chainId, is: 'off', lacks: prices.source === null ? 'source' : 'pool' };
        try {
          const [pegged, bitcoin] = await Promise.all([source.pegged(), source.bitcoin()]);
          return { chainId, is: 'read', pegged, bitcoin, boundBps: source.boundBps };
        } catch (cause) {
          return { chainId, is: 'silent', words: cause instanceof Error ? cause.message : String(cause) };
        }
      }),
  );
}
