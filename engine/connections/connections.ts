import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { leaveThrough } from '../adapters/socks/outgoing.ts';
import { failedToConnect, isRefusal, PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import type { LightningPort } from '../legs/lightning/port.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { Log } from '../runtime/log.ts';
import { arkadeEndpoint, bitcoinEndpoint, lndAddress, lndEndpoint, type Common } from './endpoints.ts';
import { createEvmChains, otherEvmChain, type EvmChains } from './evm.ts';
import { swapsAreOpen, type Identities, type Linked } from './identities.ts';
import { createLink, type Endpoint, type Link } from './link.ts';
import { arkadeOver } from './ports/arkade.ts';
import { bitcoinOver } from './ports/bitcoin.ts';
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
  readonly evmEveryMs: number;
  /** Called when another connection takes the place of one: what was read over the old one does not count any more. */
  onReplaced(network: Linked): void;
  readonly log: Log;
}

export interface Connections {
  readonly ports: { readonly arkade: ArkadePort; readonly lightning: LightningPort; readonly bitcoin: BitcoinPort };
  readonly evm: EvmChains;
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
}

const words = { arkade: 'Arkade', lightning: 'Lightning', bitcoin: 'Bitcoin' } as const;
const settingOf = { arkade: 'arkade', lightning: 'lnd', bitcoin: 'bitcoin' } as const;

export function createConnections(options: ConnectionsOptions): Connections {
  const { identities, sealer, log } = options;
  const evm = createEvmChains({ everyMs: options.evmEveryMs });
  const links: { [N in Linked]: Link<Ports[N]> } = {
    arkade: createLink({
      name: 'arkade',
      absent: 'No Arkade operator is connected: set arkade.url.',
      judge: (names) => identities.judge('arkade', names, used?.arkade?.url ?? null),
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
  let used: Config | null = null;

  function addressOf(network: Linked, config: Config): unknown {
    return network === 'arkade' ? config.arkade?.url : network === 'lightning' ? config.lnd : config.bitcoin;
  }

  function endpointOf(network: Linked, config: Config): Endpoint<never> | null {
    return endpoints[network](config) as Endpoint<never> | null;
  }

  const endpoints: { [N in Linked]: (config: Config) => Endpoint<Ports[N]> | null } = {
    arkade({ arkade }) {
      const url = options.sandbox?.arkade.url ?? arkade?.url;
      return url === undefined ? null : arkadeEndpoint(url, options);
    },
    lightning({ lnd }) {
      const { sandbox } = options;
      if (sandbox !== null) {
        const { socket, cert, macaroon } = sandbox.lnd;
        return lndEndpoint(
          () => ({ socket, cert: Buffer.from(cert, 'base64'), macaroon: Buffer.from(macaroon, 'hex') }),
          options,
        );
      }
      return lnd === null ? null : lndEndpoint(() => lndAddress(lnd, sealer), options);
    },
    bitcoin({ bitcoin }) {
      if (options.sandbox !== null)
        return bitcoinEndpoint({ core: null, esplora: [options.sandbox.bitcoin.esploraUrl] }, options);
      return bitcoin.core === null && bitcoin.esplora.length === 0 ? null : bitcoinEndpoint(bitcoin, options);
    },
  };

  /** Each endpoint of Bitcoin on its own: together one good one would hide the others. */
  function trials(network: Linked, config: Config): Endpoint<never>[] {
    if (network !== 'bitcoin') return [endpointOf(network, config)].filter((one) => one !== null);
    const { core, esplora } = config.bitcoin;
    return [
      ...(core === null ? [] : [{ core, esplora: [] }]),
      ...esplora.map((url) => ({ core: null, esplora: [url] })),
    ].map((one) => bitcoinEndpoint(one, options) as Endpoint<never>);
  }

  async function judgeOne(network: Linked, next: Config): Promise<Refusal | null> {
    const open = identities.openSwaps(network);
    const candidates = trials(network, next);
    if (candidates.length === 0 && open > 0)
      return refuse(
        'invalid',
        `${swapsAreOpen(open)} on ${words[network]}: ${settingOf[network]} can be removed when they are over.`,
      );
    for (const endpoint of candidates) {
      const answer = await tried(endpoint);
      if (isRefusal(answer)) return refuse('invalid', answer.sentence);
      if (!(answer instanceof PortFailure)) {
        const other = identities.wouldRefuse(network, answer, network === 'arkade' ? (next.arkade?.url ?? null) : null);
        if (other !== null) return refuse('invalid', other);
      } else if (answer.retry === 'never' || failedToConnect(answer, 'other-network')) {
        return refuse('invalid', answer.message);
      } else if (open > 0 && network !== 'bitcoin') {
        return refuse(
          'invalid',
          `${swapsAreOpen(open)} on ${words[network]}, and who is at the new address cannot be told (${answer.message}): make it answer first, or wait until they are over.`,
        );
      }
    }
    return null;
  }

  return {
    ports: { arkade: links.arkade.port, lightning: links.lightning.port, bitcoin: links.bitcoin.port },
    evm,
    async use(config) {
      const before = used;
      used = config;
      if ((before?.socks ?? null) !== config.socks) await leaveThrough(config.socks);
      evm.use(config.evm);
      const changed = (['arkade', 'lightning', 'bitcoin'] as const).filter(
        (network) =>
          before === null ||
          before.socks !== config.socks ||
          !isDeepStrictEqual(addressOf(network, before), addressOf(network, config)),
      );
      for (const network of changed) options.onReplaced(network);
      await Promise.all(changed.map((network) => (links[network] as Link<never>).replace(endpointOf(network, config))));
    },
    async judge(now, next) {
      for (const network of ['bitcoin', 'lightning', 'arkade'] as const) {
        if (isDeepStrictEqual(addressOf(network, now), addressOf(network, next))) continue;
        const refused = await judgeOne(network, next);
        if (refused !== null) return refused;
      }
      return isDeepStrictEqual(now.evm, next.evm) ? null : otherEvmChain(next.evm);
    },
    async stop() {
      await Promise.all([evm.stop(), ...Object.values(links).map((link) => link.stop())]);
      if (used !== null && used.socks !== null) await leaveThrough(null);
    },
  };
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
