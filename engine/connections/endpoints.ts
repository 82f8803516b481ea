import type { Config, CoreConfig, LndConfig } from '../config.ts';
import type { Credential } from '../config/credentials.ts';
import { evmClockLimitsOf } from '../config/policy.ts';
import { connectArkade } from '../adapters/arkade/connect.ts';
import type { ArkadeOptions, WalletMemory } from '../adapters/arkade/operator.ts';
import { connectBitcoin } from '../adapters/bitcoin/connect.ts';
import type { CoreEndpoint } from '../adapters/bitcoin/json-rpc.ts';
import { connectEvm, type EvmOptions } from '../adapters/evm/connect.ts';
import { connectLnd } from '../adapters/lnd/connect.ts';
import { forwardThroughProxy, outgoingAgent } from '../adapters/socks/outgoing.ts';
import type { BitcoinNetwork } from '../domain/chain.ts';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import { sameBytes } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import type { Seconds, Unix } from '../domain/time.ts';
import type { LightningPort } from '../legs/lightning/port.ts';
import type { BitcoinPort } from '../legs/onchain/port.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import type { EvmPort } from '../legs/evm/port.ts';
import type { Sealer } from '../store/sealer.ts';
import { readCookie, readCredential, readCredentialFile, textOf } from './credentials.ts';
import type { Endpoint } from './link.ts';

/** What every connection of this node needs beside its own settings. */
export interface Common {
  readonly network: BitcoinNetwork;
  readonly keys: ArkadeOptions['keys'];
  readonly walletMemory: WalletMemory;
  readonly sealer: Sealer;
  readonly wall: () => Unix;
  /** The wall as far as the chain bears it out: the clock of whoever judges coins by one of their own. */
  readonly plausibleWall: () => Unix;
  readonly mtp: () => Unix | null;
}

/** Where lnd answers, its credentials in hand. */
export interface LndAddress {
  readonly socket: string;
  readonly cert: Uint8Array;
  readonly macaroon: Uint8Array;
}

export function arkadeEndpoint(
  url: string,
  { keys, plausibleWall, mtp, network, walletMemory: memory }: Common,
): Endpoint<ArkadePort> {
  return {
    open: async () => ({
      port: connectArkade(url, { keys, clock: { wall: plausibleWall, mtp }, network, memory }),
      stop: async () => undefined,
    }),
    async identify(port) {
      const { signer, formerSigners } = await port.info();
      return [signer, ...formerSigners].map(toHex);
    },
  };
}

export function lndEndpoint(address: () => LndAddress | Refusal, { network, wall }: Common): Endpoint<LightningPort> {
  return {
    async open() {
      const openedAt = address();
      if (isRefusal(openedAt)) return openedAt;
      const door = await forwardThroughProxy(openedAt.socket);
      const port = connectLnd({ ...openedAt, ...(door === null ? {} : { socket: door.socket }), network, now: wall });
      return {
        port,
        stale() {
          const now = address();
          return !isRefusal(now) && !(sameBytes(now.cert, openedAt.cert) && sameBytes(now.macaroon, openedAt.macaroon));
        },
        async stop() {
          await port.stop();
          await door?.stop();
        },
      };
    },
    identify: async (port) => [(await port.info()).pubkey],
  };
}

export function lndAddress({ socket, cert, macaroon }: LndConfig, sealer: Sealer): LndAddress | Refusal {
  const pem = readCredential('lnd.cert', cert, sealer);
  if (isRefusal(pem)) return pem;
  const right = readCredential('lnd.macaroon', macaroon, sealer);
  return isRefusal(right) ? right : { socket, cert: pem, macaroon: right };
}

export function bitcoinEndpoint(
  { core, esplora }: Pick<Config['bitcoin'], 'core' | 'esplora'>,
  { network, sealer, wall }: Common,
): Endpoint<BitcoinPort> {
  return {
    async open() {
      const node = core === null ? null : coreAddress(core, sealer);
      if (isRefusal(node)) return node;
      const port = connectBitcoin({ network, core: node, esplora, wall });
      if (port === null) throw new Error('an endpoint of Bitcoin without an address');
      return { port, stop: async () => undefined };
    },
    identify: async (port) => [await port.genesis()],
  };
}

/** Age of its last block at which an RPC of an EVM chain stands still; null where blocks come on request. */
export function strictTipAge(config: Config): Seconds | null {
  const { strict, seconds } = evmClockLimitsOf(config).tipAge;
  return strict ? seconds : null;
}

/** `boundTo`: the first block of the chain that open swaps are on, null for none. */
export function evmEndpoint(
  {
    boundTo,
    ...chain
  }: Pick<EvmOptions, 'chainId' | 'rpc' | 'maxTipAge' | 'agreedBefore'> & { boundTo: () => string | null },
  { keys, wall }: Common,
): Endpoint<EvmPort> {
  return {
    open: async () => ({
      port: connectEvm({ ...chain, key: keys({ branch: 'evm-account' }), boundTo: boundTo(), wall }),
      stop: async () => undefined,
    }),
    identify: async (port) => [(await port.identity()).genesis],
  };
}

function coreAddress({ url, login, caFile }: CoreConfig, sealer: Sealer): CoreEndpoint | Refusal {
  const ca = caFile === null ? null : textOf(readCredentialFile('bitcoin.core.caFile', caFile, false));
  if (isRefusal(ca)) return ca;
  const agent = outgoingAgent(new URL(url));
  const place = { url, ca, ...(agent === undefined ? {} : { agent }) };
  if ('cookieFile' in login) return { ...place, cookie: () => readCookie(login.cookieFile) };
  const line = (name: string, credential: Credential) =>
    textOf(readCredential(`bitcoin.core.${name}`, credential, sealer));
  const [user, password] = [line('user', login.user), line('password', login.password)];
  if (isRefusal(user)) return user;
  return isRefusal(password) ? password : { ...place, user, password };
}
