import { bitcoinWallet } from './adapters/bitcoin/wallet.ts';
import { takerAccounts } from './adapters/keys/taker-accounts.ts';
import { bitcoinIndexes } from './connections/bitcoin-indexes.ts';
import { createConnections } from './connections/connections.ts';
import { createIdentities } from './connections/identities.ts';
import { createMarketSettings } from './connections/markets.ts';
import { createSettings } from './connections/settings.ts';
import type { EvmNetwork, Network } from './domain/chain.ts';
import type { NodeBase } from './node-base.ts';
import { createProviders } from './providers.ts';
import type { Ports } from './runtime/ports.ts';
import { createSignal } from './runtime/signal.ts';
import type { MarketSettings } from './service/market/market.ts';

export type NodePorts = ReturnType<typeof openPorts>;

/** Where the node reaches whom: its networks as the owner connects them, its wallet on the chain, and providers. */
export function openPorts({ options, log, config, network, clock, keys, store, sealer, walletMemory }: NodeBase) {
  /** A connection that took the place of another. */
  const replaced = createSignal<Network>();
  const connections = createConnections({
    sandbox: options.sandbox?.endpoints ?? null,
    network,
    keys: keys.privateKey,
    sealer,
    wall: clock.wall,
    plausibleWall: clock.likely,
    mtp: clock.mtp,
    identities: createIdentities(store),
    agreedBefore: (chain) => store.evmLocks.agreed(chain),
    walletMemory,
    onReplaced: replaced.tell,
    log,
  });
  const settings = createSettings({ start: config, source: options.settings, sealer, connections });
  const wallet = bitcoinWallet({
    bitcoin: connections.ports.bitcoin,
    network,
    keys: keys.privateKey,
    indexes: bitcoinIndexes(store),
  });
  const providers = createProviders({ userXpub: keys.userXpub, log });
  const settingsOfMarkets = createMarketSettings(connections.ports, clock.wall);
  const marketSettings = (): ReadonlyMap<EvmNetwork, MarketSettings> =>
    settingsOfMarkets(settings.config.evm, settings.config.prices.source);
  const ports: Ports = {
    ...connections.ports,
    bitcoinWallet: wallet,
    providers: providers.reach,
    takerAccounts: takerAccounts(keys),
    exchanges: (chain) => marketSettings().get(chain)?.dex ?? null,
  };
  return { connections, replaced, settings, wallet, providers, marketSettings, ports };
}
