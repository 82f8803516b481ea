import { isRefusal, PortFailure } from './domain/errors.ts';
import { readCredential, textOf } from './connections/credentials.ts';
import type { Credential } from './config/credentials.ts';
import type { Config } from './config.ts';
import type { BitcoinNetwork } from './domain/chain.ts';
import type { Unix } from './domain/time.ts';
import { connectArkade } from './adapters/arkade/connect.ts';
import { connectBitcoin } from './adapters/bitcoin/connect.ts';
import type { CoreEndpoint } from './adapters/bitcoin/json-rpc.ts';
import type { Keys } from './adapters/keys/keys.ts';
import { connectLnd } from './adapters/lnd/connect.ts';
import type { Ports } from './runtime/ports.ts';

/** Where the sandbox's networks answer; the same adapters as everywhere speak to them. */
export interface SandboxAddresses {
  readonly arkade: { readonly url: string };
  readonly bitcoin: { readonly esploraUrl: string };
  readonly lnd: { readonly socket: string; readonly cert: string; readonly macaroon: string };
}

interface Connections {
  readonly arkadeUrl: string | null;
  readonly core: CoreEndpoint | null;
  readonly esplora: readonly string[];
  readonly lnd: { readonly socket: string; readonly cert: Uint8Array; readonly macaroon: Uint8Array } | null;
}

function fromConfig(config: Config): Connections {
  return {
    arkadeUrl: config.arkade?.url ?? null,
    core: config.bitcoin.core === null ? null : coreFrom(config.bitcoin.core),
    esplora: config.bitcoin.esplora,
    lnd: config.lnd === null ? null : { socket: config.lnd.socket, cert: opened('lnd.cert', config.lnd.cert), macaroon: opened('lnd.macaroon', config.lnd.macaroon) },
  };
}

function coreFrom({ url, user, password, caFile }: NonNullable<Config['bitcoin']['core']>): CoreEndpoint {
  return {
    url,
    user: line('bitcoin.core.user', user),
    password: line('bitcoin.core.password', password),
    ca: caFile === null ? null : new TextDecoder().decode(opened('bitcoin.core.ca', { file: caFile })),
  };
}

function line(name: string, credential: Credential): string {
  const text = textOf(opened(name, credential));
  if (isRefusal(text)) throw new PortFailure('credential', 'safe', text.sentence);
  return text;
}

function opened(name: string, credential: Credential): Uint8Array {
  const bytes = readCredential(name, credential, null);
  if (isRefusal(bytes)) throw new PortFailure('credential', 'safe', bytes.sentence);
  return bytes;
}

function fromSandbox(addresses: SandboxAddresses): Connections {
  return {
    arkadeUrl: addresses.arkade.url,
    core: null,
    esplora: [addresses.bitcoin.esploraUrl],
    lnd: {
      socket: addresses.lnd.socket,
      cert: Buffer.from(addresses.lnd.cert, 'base64'),
      macaroon: Buffer.from(addresses.lnd.macaroon, 'hex'),
    },
  };
}

/** Opens what is configured. Nothing is asked of a network here: one that is away shows in its first answer. */
export function connect(options: {
  config: Config;
  sandbox: SandboxAddresses | null;
  network: BitcoinNetwork;
  keys: Keys;
  wall: () => Unix;
  mtp: () => Unix | null;
}): { ports: Ports; stop(): Promise<void> } {
  const { keys, network, wall, mtp } = options;
  const connections = options.sandbox === null ? fromConfig(options.config) : fromSandbox(options.sandbox);
  const lnd = connections.lnd === null ? null : connectLnd({ ...connections.lnd, network, now: wall });
  return {
    ports: {
      arkade: connections.arkadeUrl === null ? null : connectArkade(connections.arkadeUrl, { keys: keys.privateKey, clock: { wall, mtp }, network }),
      lightning: lnd,
      bitcoin: connectBitcoin({ network, core: connections.core, esplora: connections.esplora }),
    },
    async stop() {
      await lnd?.stop();
    },
  };
}
