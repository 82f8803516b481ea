import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { leaveThrough } from '../adapters/socks/outgoing.ts';
import { evmChainIds, evmNetwork, kindOf, type EvmNetwork, type Network } from '../domain/chain.ts';
import { failedToConnect, isRefusal, PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { LightningPort } from '../legs/lightning/port.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { Log } from '../runtime/log.ts';
import {
  arkadeEndpoint,
  bitcoinEndpoint,
  evmEndpoint,
  lndAddress,
  lndEndpoint,
  strictTipAge,
  type Common,
} from './endpoints.ts';
import { swapsAreOpen, type Identities } from './identities.ts';
import { createLink, type Endpoint, type Link } from './link.ts';
import { arkadeOver } from './ports/arkade.ts';
import { bitcoinOver } from './ports/bitcoin.ts';
import { evmOver } from './ports/evm.ts';
import { lightningOver } from './ports/lightning.ts';

/** Where the sandbox's networks answer; the same adapters as everywhere speak to them. */
export interface SandboxAddresses {
  readonly arkade: { readonly url: string };
  readonly bitcoin: { readonly esploraUrl: string };
  readonly lnd: { readonly socket: string; readonly cert: string; readonly macaroon: string };
}

export interface ConnectionsOptions extends Common {
  readonly sandbox: SandboxAddresses | null;
  readonly identities: Identities;
  /** The tip of an EVM chain that enough RPCs named before; null for never. */
  readonly agreedBefore: (network: EvmNetwork) => { readonly height: number; readonly time: Unix } | null;
  /** Called when another connection takes the place of one: what was read over the old one does not count any more. */
  onReplaced(network: Network): void;
  readonly log: Log;
}

export interface Connections {
  /** One for each network that there can be; one that nobody connected says so in each of its answers. */
  readonly ports: Readonly<Ports>;
  /** Connects what the configuration names and leaves what it does not; who is there shows in the first answer. */
  use(config: Config): Promise<void>;
  /** One sentence when the change from one configuration to another must not be made; nothing is changed. */
  judge(now: Config, next: Config): Promise<Refusal | null>;
  stop(): Promise<void>;
}

interface Ports {
  arkade: ArkadePort;
  lightning: LightningPort;
  bitcoin: BitcoinPort;
  [evm: EvmNetwork]: EvmPort;
}

type Links = { [N in keyof Ports]: Link<Ports[N]> };

const evmNetworks = evmChainIds.map(evmNetwork);
const networks: readonly Network[] = ['bitcoin', 'lightning', 'arkade', ...evmNetworks];

function called(network: Network): { words: string; setting: string } {
  switch (network) {
    case 'arkade':
      return { words: 'Arkade', setting: 'arkade' };
    case 'lightning':
      return { words: 'Lightning', setting: 'lnd' };
    case 'bitcoin':
      return { words: 'Bitcoin', setting: 'bitcoin' };
    default:
      return { words: `chain ${chainOf(network)}`, setting: `evm.${chainOf(network)}` };
  }
}

function chainOf(network: EvmNetwork): string {
  return network.slice('evm:'.length);
}

/** What connections are made of. */
interface Connecting {
  readonly options: ConnectionsOptions;
  readonly identities: ConnectionsOptions['identities'];
  readonly sealer: ConnectionsOptions['sealer'];
  /** The configuration in force. */
  readonly current: { config: Config | null };
  readonly links: Links;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { identities, sealer, log } = options;
  const current: Connecting['current'] = { config: null };
  const links: Links = {
    arkade: createLink({
      name: 'arkade',
      absent: 'No Arkade operator is connected: set arkade.url.',
      judge: (names) => identities.judge('arkade', names, current.config?.arkade?.url ?? null),
      portOver: arkadeOver,
      log,
    }),
    lightning: createLink({
      name: 'lightning',
      absent: 'No Lightning node is connected: set lnd.',
      judge: (names) => identities.judge('lightning', names),
      portOver: lightningOver,
      log,
    }),
    bitcoin: createLink({
      name: 'bitcoin',
      absent: 'No Bitcoin endpoint is connected: set bitcoin.',
      judge: () => null,
      portOver: bitcoinOver,
      log,
    }),
  };
  const own: Connecting = { options, identities, sealer, current, links };

  for (const network of evmNetworks)
    links[network] = createLink({
      name: network,
      absent: `No RPC of chain ${chainOf(network)} is connected: set evm.${chainOf(network)}.rpc.`,
      judge: (names) => identities.judge(network, names),
      portOver: evmOver,
      log,
    });

  return {
    ports: {
      arkade: links.arkade.port,
      lightning: links.lightning.port,
      bitcoin: links.bitcoin.port,
      ...Object.fromEntries(evmNetworks.map((network) => [network, linkOf(own, network).port])),
    },
    async use(config) {
      const before = own.current.config;
      own.current.config = config;
      if ((before?.socks ?? null) !== config.socks) await leaveThrough(config.socks);
      const changed = networks.filter(
        (network) =>
          before === null ||
          before.socks !== config.socks ||
          !isDeepStrictEqual(addressOf(network, before), addressOf(network, config)),
      );
      for (const network of changed) options.onReplaced(network);
      await Promise.all(changed.map((network) => linkOf(own, network).replace(endpointOf(own, network, config))));
    },
    async judge(now, next) {
      for (const network of networks) {
        if (isDeepStrictEqual(addressOf(network, now), addressOf(network, next))) continue;
        const refused = await judgeOne(own, network, next);
        if (refused !== null) return refused;
      }
      return null;
    },
    async stop() {
      await Promise.all(Object.values(links).map((link) => link.stop()));
      if (own.current.config !== null && own.current.config.socks !== null) await leaveThrough(null);
    },
  };
}

function addressOf(network: Network, config: Config): unknown {
  switch (network) {
    case 'arkade':
      return config.arkade?.url;
    case 'lightning':
      return config.lnd;
    case 'bitcoin':
      return { core: config.bitcoin.core, esplora: config.bitcoin.esplora };
    default:
      return config.evm[chainOf(network)]?.rpc;
  }
}

function endpointOf(own: Connecting, network: Network, config: Config): Endpoint<never> | null {
  const { identities } = own;
  switch (network) {
    case 'arkade':
      return arkadeOf(own, config) as Endpoint<never> | null;
    case 'lightning':
      return lightningOf(own, config) as Endpoint<never> | null;
    case 'bitcoin':
      return bitcoinOf(own, config) as Endpoint<never> | null;
    default: {
      const rpc = config.evm[chainOf(network)]?.rpc;
      return rpc === undefined ? null : evmAt(own, network, rpc, () => identities.boundTo(network));
    }
  }
}

function arkadeOf({ options }: Connecting, { arkade }: Config): Endpoint<ArkadePort> | null {
  const url = options.sandbox?.arkade.url ?? arkade?.url;
  return url === undefined ? null : arkadeEndpoint(url, options);
}

function lightningOf({ options, sealer }: Connecting, { lnd }: Config): Endpoint<LightningPort> | null {
  const { sandbox } = options;
  if (sandbox !== null) {
    const { socket, cert, macaroon } = sandbox.lnd;
    return lndEndpoint(
      () => ({ socket, cert: Buffer.from(cert, 'base64'), macaroon: Buffer.from(macaroon, 'hex') }),
      options,
    );
  }
  return lnd === null ? null : lndEndpoint(() => lndAddress(lnd, sealer), options);
}

function bitcoinOf({ options }: Connecting, { bitcoin }: Config): Endpoint<BitcoinPort> | null {
  if (options.sandbox !== null)
    return bitcoinEndpoint({ core: null, esplora: [options.sandbox.bitcoin.esploraUrl] }, options);
  return bitcoin.core === null && bitcoin.esplora.length === 0 ? null : bitcoinEndpoint(bitcoin, options);
}

function evmAt(
  own: Connecting,
  network: EvmNetwork,
  rpc: readonly string[],
  boundTo = (): string | null => null,
): Endpoint<never> {
  const { options } = own;
  const maxTipAge = (): Seconds | null => (own.current.config === null ? null : strictTipAge(own.current.config));
  const agreedBefore = () => options.agreedBefore(network);
  const chainId = Number(chainOf(network));
  return evmEndpoint({ chainId, rpc, boundTo, maxTipAge, agreedBefore }, options) as Endpoint<never>;
}

/** Each endpoint of a chain on its own, whichever it is: together one good one would hide the others. */
function trials(own: Connecting, network: Network, config: Config): Endpoint<never>[] {
  const { options } = own;
  if (kindOf(network) === 'evm')
    return (config.evm[chainOf(network as EvmNetwork)]?.rpc ?? []).map((url) =>
      evmAt(own, network as EvmNetwork, [url]),
    );
  if (network !== 'bitcoin') return [endpointOf(own, network, config)].filter((one) => one !== null);
  const { core, esplora } = config.bitcoin;
  return [
    ...(core === null ? [] : [{ core, esplora: [] }]),
    ...esplora.map((url) => ({ core: null, esplora: [url] })),
  ].map((one) => bitcoinEndpoint(one, options) as Endpoint<never>);
}

async function judgeOne(own: Connecting, network: Network, next: Config): Promise<Refusal | null> {
  const { identities } = own;
  const open = identities.openSwaps(network);
  const candidates = trials(own, network, next);
  if (candidates.length === 0 && open > 0)
    return refuse(
      'invalid',
      `${swapsAreOpen(open)} on ${called(network).words}: ${called(network).setting} can be removed when they ` +
        'are over.',
    );
  for (const endpoint of candidates) {
    const answer = await tried(endpoint);
    if (isRefusal(answer)) return refuse('invalid', answer.sentence);
    if (!(answer instanceof PortFailure)) {
      const other = identities.wouldRefuse(network, answer, network === 'arkade' ? (next.arkade?.url ?? null) : null);
      if (other !== null) return refuse('invalid', other);
    } else if (answer.retry === 'never' || failedToConnect(answer, 'other-network')) {
      return refuse('invalid', answer.message);
    } else if (open > 0 && (network === 'arkade' || network === 'lightning')) {
      return refuse(
        'invalid',
        `${swapsAreOpen(open)} on ${called(network).words}, and who is at the new address cannot be told ` +
          `(${answer.message}): make it answer first, or wait until they are over.`,
      );
    }
  }
  return null;
}

function linkOf({ links }: Connecting, network: Network): Link<never> {
  return links[network] as unknown as Link<never>;
}

async function tried(endpoint: Endpoint<never>): Promise<readonly string[] | PortFailure | Refusal> {
  const connection = await endpoint.open();
  if (isRefusal(connection)) return connection;
  try {
    return await endpoint.identify(connection.port);
  } catch (cause) {
    if (cause instanceof PortFailure) return cause;
    throw cause;
  } finally {
    await connection.stop();
  }
}
