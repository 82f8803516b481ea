import { createHash } from 'node:crypto';
import { createJsonPrice } from '../adapters/prices/json-price.ts';
import { createPoolPrice } from '../adapters/prices/pool-price.ts';
import type { Config } from '../config.ts';
import type { EvmChainConfig } from '../config/chains.ts';
import { evmNetwork, type EvmNetwork } from '../domain/chain.ts';
import { readEvmAddress } from '../domain/evm-address.ts';
import { toHex } from '../domain/hex.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { PegSource } from '../service/market/pegs.ts';

export type PriceSource = Config['prices']['source'];

/** Chains as far as prices are asked of them. */
type Chains = { readonly [evm: EvmNetwork]: Pick<EvmPort, 'read' | 'token'> };

/**
 * What says that the pegged token of a chain is worth a bitcoin, as the owner set it; null where either half is not
 * set.
 */
export function pegSourceOf(
  network: EvmNetwork,
  { peg, peggedToken: token }: EvmChainConfig,
  source: PriceSource,
  chains: Chains,
): PegSource | null {
  const chain = chains[network];
  if (peg === null || token === null || source === null || chain === undefined) return null;
  const pegged = createPoolPrice({ chain, pool: peg.pool, token });
  // An address may carry a key of the owner's, and what is kept of it is a name alone.
  const facts = JSON.stringify([peg.pool, token, peg.boundBps, source], (_, part: unknown) =>
    part instanceof Uint8Array ? toHex(part) : part,
  );
  const name = createHash('sha256').update(facts).digest('hex');
  return { name, boundBps: peg.boundBps, pegged, bitcoin: bitcoinPrice(source, chains) };
}

function bitcoinPrice(source: NonNullable<PriceSource>, chains: Chains): () => Promise<number> {
  if ('url' in source) return createJsonPrice(source);
  const [pool, token] = [readEvmAddress(source.pool), readEvmAddress(source.bitcoin)];
  return async () => {
    const chain = chains[evmNetwork(source.chain)];
    if (chain === undefined || pool === null || token === null)
      throw new Error(`prices.source names chain ${source.chain}, which is not connected`);
    return createPoolPrice({ chain, pool, token })();
  };
}
