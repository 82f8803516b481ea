import type { Config } from '../config.ts';
import type { Keys } from '../adapters/keys/keys.ts';
import { takerAccounts } from '../adapters/keys/taker-accounts.ts';
import { bitcoinWallet } from '../adapters/bitcoin/wallet.ts';
import type { WalletIndexes } from '../adapters/bitcoin/wallet-coins.ts';
import {
  arkadeEndpoint,
  bitcoinEndpoint,
  evmEndpoint,
  lndAddress,
  lndEndpoint,
  strictTipAge,
  type Common,
} from '../connections/endpoints.ts';
import type { Endpoint } from '../connections/link.ts';
import { evmNetwork } from '../domain/chain.ts';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import { unix, type Unix } from '../domain/time.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import type { Ports } from '../runtime/ports.ts';
import { createSealer } from '../store/sealer.ts';
import type { Bundle } from './bundle.ts';

/** What this machine says that it is. */
export function wallNow(): Unix {
  return unix(Math.floor(Date.now() / 1_000));
}

/** The networks of a configuration, without a node over them. */
export async function connect(
  config: Config,
  keys: Keys,
  bundle: Pick<Bundle, 'counters' | 'walletTerms'> | null,
): Promise<{ readonly ports: Ports; stop(): Promise<void> } | Refusal> {
  const { network } = config;
  let mtp: Unix | null = null;
  let terms = bundle?.walletTerms ?? null;
  const common: Common = {
    network,
    keys: keys.privateKey,
    sealer: createSealer(keys.sealingKey('credentials')),
    wall: wallNow,
    plausibleWall: wallNow,
    mtp: () => mtp,
    walletMemory: { terms: () => terms, keep: (next) => void (terms = next) },
  };
  const stops: (() => Promise<void>)[] = [];
  async function open<P>(endpoint: Endpoint<P> | null): Promise<P | null | Refusal> {
    if (endpoint === null) return null;
    const connection = await endpoint.open();
    if (isRefusal(connection)) return connection;
    stops.push(() => connection.stop());
    return connection.port;
  }

  const { core, esplora } = config.bitcoin;
  const bitcoin = await open(core === null && esplora.length === 0 ? null : bitcoinEndpoint(config.bitcoin, common));
  const arkade = await open(config.arkade === null ? null : arkadeEndpoint(config.arkade.url, common));
  const { lnd } = config;
  const lightning = await open(lnd === null ? null : lndEndpoint(() => lndAddress(lnd, common.sealer), common));
  for (const one of [bitcoin, arkade, lightning]) if (isRefusal(one)) return one;
  const chains: Record<string, unknown> = {};
  for (const [id, { rpc }] of Object.entries(config.evm)) {
    const maxTipAge = () => strictTipAge(config);
    const nothing = () => null;
    const chain = { chainId: Number(id), rpc, boundTo: nothing, agreedBefore: nothing, maxTipAge };
    const port = await open(evmEndpoint(chain, common));
    if (isRefusal(port)) return port;
    chains[evmNetwork(Number(id))] = port;
  }
  /** The operator's locktimes go by this clock. */
  function timed(port: BitcoinPort): BitcoinPort {
    return {
      ...port,
      async tip() {
        const tip = await port.tip();
        mtp = tip.mtp;
        return tip;
      },
    };
  }
  const chain = bitcoin === null ? null : timed(bitcoin as BitcoinPort);
  const ports = {
    ...chains,
    arkade,
    lightning,
    bitcoin: chain,
    takerAccounts: takerAccounts(keys),
    ...(chain === null
      ? {}
      : {
          bitcoinWallet: bitcoinWallet({
            bitcoin: chain,
            network,
            keys: keys.privateKey,
            indexes: indexesFrom(bundle),
          }),
        }),
  } as Ports;
  return {
    ports,
    async stop() {
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

/** Nothing of this outlives the run: a key that it gives out is found again by what lies there. */
export function indexesFrom(bundle: Pick<Bundle, 'counters'> | null): WalletIndexes {
  const taken = {
    'bitcoin-deposit': bundle?.counters.deposit ?? 0,
    'bitcoin-change': bundle?.counters.change ?? 0,
  };
  return {
    taken: (branch) => taken[branch],
    take(branch, floor) {
      const index = Math.max(floor, taken[branch]);
      taken[branch] = index + 1;
      return index;
    },
  };
}
