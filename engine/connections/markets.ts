import { createUniswapV3 } from '../adapters/dex/uniswap-v3.ts';
import { createBridge } from '../adapters/evm/bridge.ts';
import type { EvmChainConfig } from '../config/chains.ts';
import { evmNetwork, type EvmNetwork } from '../domain/chain.ts';
import type { Unix } from '../domain/time.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { MarketSettings } from '../service/market/market.ts';
import { pegSourceOf, type PriceSource } from './peg-source.ts';

/**
 * What the owner set for swaps over each chain, with its exchange and its bridge at hand. Both remember what they were
 * asked: they stay for as long as their chain's settings do.
 */
export function createMarketSettings(ports: { readonly [evm: EvmNetwork]: EvmPort }, wall: () => Unix) {
  const made = new Map<
    EvmNetwork,
    { readonly of: EvmChainConfig; readonly source: PriceSource; readonly settings: MarketSettings }
  >();

  function settingsOf(network: EvmNetwork, of: EvmChainConfig, source: PriceSource): MarketSettings | null {
    const before = made.get(network);
    if (before?.of === of && before.source === source) return before.settings;
    const chain = ports[network];
    if (chain === undefined) return null;
    const { dex, tokens } = of;
    const peg = pegSourceOf(network, of, source, ports);
    const over = [...(of.peggedToken === null ? [] : [of.peggedToken]), ...tokens.slice(0, mostOver)];
    const settings: MarketSettings = {
      htlc: of.contracts.htlc,
      confirmations: Math.max(...of.confirmations),
      coordinator: of.contracts.coordinator,
      pegged: of.peggedToken,
      tokens,
      dex: dex === null ? null : createUniswapV3({ chain, quoter: dex.quoter, router: dex.router, over, wall }),
      slippageBps: dex?.slippageBps ?? 0,
      bridge: createBridge(chain, Number(network.slice('evm:'.length)), of.bridgeFees),
      ...(peg === null ? {} : { peg }),
    };
    made.set(network, { of, source, settings });
    return settings;
  }

  return (
    chains: Readonly<Record<string, EvmChainConfig>>,
    source: PriceSource = null,
  ): ReadonlyMap<EvmNetwork, MarketSettings> => {
    const settings = new Map<EvmNetwork, MarketSettings>();
    for (const [id, of] of Object.entries(chains)) {
      const network = evmNetwork(id);
      const one = settingsOf(network, of, source);
      if (one !== null) settings.set(network, one);
    }
    return settings;
  };
}

/** Ways over more tokens are asked for in vain: the coin and the owner's first tokens are the deep ones. */
const mostOver = 3;
