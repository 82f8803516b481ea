import { existsSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { probeOperator } from './adapters/arkade/probe.ts';
import { isOwnHost } from './adapters/bitcoin/source-state.ts';
import { probeCore, probeEsplora, type BitcoinFacts } from './adapters/bitcoin/probe.ts';
import { probeEvm } from './adapters/evm/probe.ts';
import { createKeys } from './adapters/keys/keys.ts';
import { bakeCommand } from './adapters/lnd/permissions.ts';
import { probeLnd } from './adapters/lnd/probe.ts';
import type { Answer, Unanswered } from './adapters/probe/answer.ts';
import { forwardThroughProxy, leaveThrough } from './adapters/socks/outgoing.ts';
import { probeProxy } from './adapters/socks/probe.ts';
import { probeCertificate, type CertificateFacts } from './adapters/tls/probe.ts';
import type { Config } from './config.ts';
import type { Credential } from './config/credentials.ts';
import { readCredential, readCredentialFile, textOf } from './connections/credentials.ts';
import type { SandboxAddresses } from './connections/connections.ts';
import type { Doctor } from './contract/owner/doctor.ts';
import { isRefusal, type Refusal } from './domain/errors.ts';
import type { ArkadeWallet, OperatorEndpoint } from './doctor/judge-arkade.ts';
import type { BitcoinEndpoint } from './doctor/judge-bitcoin.ts';
import type { EvmChain } from './doctor/judge-evm.ts';
import type { LightningEndpoint } from './doctor/judge-lightning.ts';
import type { CredentialFacts, FolderFacts } from './doctor/judge-machine.ts';
import { judge } from './doctor/judge.ts';
import type { Vtxo } from './legs/arkade/vtxo.ts';
import { clockLimitsOf, policyOf } from './config/policy.ts';
import { databasePath, inspectDatabase } from './store/inspect.ts';
import { createSealer, type Sealer } from './store/sealer.ts';

export interface DoctorOptions {
  readonly config: Config;
  readonly dataDir: string;
  /** Opens what owner routes sealed; null where nobody brought the seed. */
  readonly sealer: Sealer | null;
  readonly sandbox: SandboxAddresses | null;
  /** The node's own coins at the operator, where a node with its keys asks. */
  readonly walletCoins: (() => Promise<readonly Vtxo[]>) | null;
  /** Its coins that left the operator for the chain, as the node last saw them. */
  readonly onChain?: () => ArkadeWallet['onChain'];
  /** Unix seconds on the networks' clock. */
  readonly wall: () => number;
  /** What the Bitcoin sources of a running node contradict each other in. */
  readonly disagreement?: () => string | null;
  /** Asked inside a running node, whose swaps must not wait for long. */
  readonly inNode?: boolean;
  /** Milliseconds that one endpoint may take; 10 s when left out. */
  readonly patience?: number;
}

/** Milliseconds; all endpoints are asked at the same time. */
const usualPatience = 10_000;
/** Bytes of a database that are read through in some tenths of a second. */
const readWhileRunning = 64_000_000;

/** Without a node: the seed only opens credentials that lie sealed in the data folder. */
export async function examine({
  seed,
  ...options
}: Pick<DoctorOptions, 'config' | 'dataDir' | 'patience'> & { seed: Uint8Array | null }): Promise<Doctor> {
  const sealer =
    seed === null ? null : createSealer(createKeys(seed, options.config.network).sealingKey('credentials'));
  await leaveThrough(options.config.socks);
  return runDoctor({
    ...options,
    sealer,
    sandbox: null,
    walletCoins: null,
    wall: () => Math.floor(Date.now() / 1_000),
  });
}

/** Checks every connection and everything on this machine that they stand on. Changes nothing and starts nothing. */
export async function runDoctor(options: DoctorOptions): Promise<Doctor> {
  const { config, sandbox, patience = usualPatience } = options;
  const files: FileFacts = { credentials: [], certificates: [] };
  const machine = Math.floor(Date.now() / 1_000);
  const lightningAsked = sandbox === null ? lightningOf(options, files) : sandboxLightning(config, sandbox, patience);
  // Opening gRPC keeps this thread busy for a while, which is not how long the others take to answer.
  await nextTurn();
  const [lightning, bitcoin, arkade, evm, proxy, folder, wallet] = await Promise.all([
    lightningAsked,
    Promise.all(
      sandbox === null ? bitcoinOf(options, files) : [esploraAt(sandbox.bitcoin.esploraUrl, 'the sandbox', patience)],
    ),
    arkadeAt(sandbox?.arkade.url ?? config.arkade?.url ?? null, patience),
    Promise.all(Object.entries(config.evm).map(([chainId, { rpc }]) => evmOf(chainId, rpc, patience))),
    proxyOf(config, patience),
    folderOf(options),
    walletOf(options),
  ]);
  const { terms, caps, network } = config;
  return judge(
    { machine: { ...files, folder, proxy }, lightning, bitcoin, arkade, evm },
    {
      limits: {
        network,
        sandbox: config.sandbox,
        perNetworkSats: caps.perNetworkSats,
        perHourSats: caps.perHourSats,
        perDaySats: caps.perDaySats,
        machine,
      },
      arkade: {
        network,
        policy: policyOf(config),
        minSats: terms.minSats,
        maxSats: terms.maxSats,
        maxExposureSats: config.arkade?.maxExposureSats ?? 0,
        sandbox: config.sandbox,
        machine,
        wallet,
      },
      wall: options.wall(),
      clocks: clockLimitsOf(config),
      evmTipAge: config.timing.maxTipAgeSeconds.evm,
      disagreement: options.disagreement?.() ?? null,
    },
  );
}

/** What reading the files brings to light. */
interface FileFacts {
  readonly credentials: CredentialFacts[];
  readonly certificates: CertificateFacts[];
}

const notAsked: Unanswered = { is: 'unanswered', why: 'not-asked', words: 'its credentials could not be read' };

function credential({ sealer }: DoctorOptions, files: FileFacts, name: string, at: Credential): Uint8Array | null {
  const bytes = readCredential(name, at, sealer);
  return noteCredential(files, name, 'sealed' in at && sealer === null, bytes);
}

function noteCredential(
  files: FileFacts,
  name: string,
  sealed: boolean,
  bytes: Uint8Array | Refusal,
): Uint8Array | null {
  files.credentials.push(
    isRefusal(bytes)
      ? { name, is: sealed ? 'sealed' : 'unreadable', sentence: bytes.sentence }
      : { name, is: 'read', sentence: '' },
  );
  return isRefusal(bytes) ? null : bytes;
}

async function lightningOf(options: DoctorOptions, files: FileFacts): Promise<LightningEndpoint | null> {
  const { lnd, network } = options.config;
  if (lnd === null) return null;
  const cert = credential(options, files, 'lnd.cert', lnd.cert);
  const macaroon = credential(options, files, 'lnd.macaroon', lnd.macaroon);
  const forward = await forwardThroughProxy(lnd.socket);
  const socket = forward?.socket ?? lnd.socket;
  if (cert !== null)
    files.certificates.push(
      probeCertificate(
        nameOf('lnd.cert', lnd.cert),
        cert,
        socket.slice(0, socket.lastIndexOf(':')).replace(/^\[|\]$/g, ''),
      ),
    );
  const endpoint = {
    name: `the Lightning node at ${lnd.socket}`,
    setting: 'lnd.socket',
    credentials: nameOf('lnd.macaroon', lnd.macaroon),
    certificate: nameOf('lnd.cert', lnd.cert),
    bakeCommand,
  };
  try {
    return {
      ...endpoint,
      probe:
        cert === null || macaroon === null
          ? notAsked
          : await probeLnd({ socket, cert, macaroon, network, limit: (options.patience ?? usualPatience) / 2 }),
    };
  } finally {
    await forward?.stop();
  }
}

/** A credential by the setting that an owner would change. */
function nameOf(name: string, at: Credential): string {
  return 'file' in at ? `${name}File` : name;
}

async function sandboxLightning(
  { network }: Config,
  { lnd }: SandboxAddresses,
  patience: number,
): Promise<LightningEndpoint> {
  const probe = await probeLnd({
    socket: lnd.socket,
    cert: Buffer.from(lnd.cert, 'base64'),
    macaroon: Buffer.from(lnd.macaroon, 'hex'),
    network,
    limit: patience / 2,
  });
  return { name: `the sandbox's Lightning node at ${lnd.socket}`, setting: 'the sandbox', bakeCommand, probe };
}

function bitcoinOf(options: DoctorOptions, files: FileFacts): Promise<BitcoinEndpoint>[] {
  const { core, esplora } = options.config.bitcoin;
  return [
    ...(core === null ? [] : [coreOf(options, files, core)]),
    ...esplora.map((url, i) => esploraAt(url, `bitcoin.esplora (entry ${i + 1})`, options.patience ?? usualPatience)),
  ];
}

async function coreOf(
  options: DoctorOptions,
  files: FileFacts,
  core: NonNullable<Config['bitcoin']['core']>,
): Promise<BitcoinEndpoint> {
  const user = credential(options, files, 'bitcoin.core.user', core.user);
  const password = credential(options, files, 'bitcoin.core.password', core.password);
  const ca =
    core.caFile === null
      ? null
      : noteCredential(
          files,
          'bitcoin.core.caFile',
          false,
          readCredentialFile('bitcoin.core.caFile', core.caFile, false),
        );
  const url = new URL(core.url);
  if (ca !== null && url.protocol === 'https:')
    files.certificates.push(probeCertificate('bitcoin.core.caFile', ca, url.hostname.replace(/^\[|\]$/g, '')));
  const endpoint = {
    name: `the Bitcoin node at ${url.host}`,
    kind: 'node' as const,
    setting: 'bitcoin.core.url',
    credentials: `${nameOf('bitcoin.core.user', core.user)} and ${nameOf('bitcoin.core.password', core.password)}`,
    ...(url.protocol === 'https:' ? { certificate: 'bitcoin.core.caFile' } : {}),
  };
  if (user === null || password === null || (core.caFile !== null && ca === null))
    return { ...endpoint, answer: notAsked };
  return {
    ...endpoint,
    answer: await probeCore(
      { url: core.url, user: String(textOf(user)), password: String(textOf(password)), ca },
      options.patience ?? usualPatience,
    ),
  };
}

async function esploraAt(url: string, setting: string, patience: number): Promise<BitcoinEndpoint> {
  const answer: Answer<BitcoinFacts> = await probeEsplora(url, patience);
  return {
    name: `the Esplora server at ${new URL(url).host}`,
    kind: isOwnHost(new URL(url)) ? 'own' : 'public',
    setting,
    answer,
  };
}

async function arkadeAt(url: string | null, patience: number): Promise<OperatorEndpoint | null> {
  return url === null
    ? null
    : {
        name: `the Arkade operator at ${new URL(url).host}`,
        setting: 'arkade.url',
        answer: await probeOperator(url, patience),
      };
}

async function evmOf(chainId: string, urls: readonly string[], patience: number): Promise<EvmChain> {
  const rpcs = await Promise.all(
    urls.map(async (url, i) => ({
      name: `the RPC at ${new URL(url).host}`,
      setting: `evm.${chainId}.rpc (entry ${i + 1})`,
      answer: await probeEvm(url, patience),
    })),
  );
  return { chainId, rpcs };
}

async function proxyOf({ socks }: Config, patience: number) {
  return socks === null
    ? null
    : {
        name: `the SOCKS proxy at ${new URL(socks).host}`,
        setting: 'socks',
        answer: await probeProxy(socks, patience),
      };
}

/** Null also where the operator does not answer: that has its own row. */
async function walletOf({ walletCoins, onChain, wall }: DoctorOptions): Promise<ArkadeWallet | null> {
  const coins = await walletCoins?.().catch(() => null);
  if (coins === null || coins === undefined) return null;
  const alive = coins.filter((coin) => !coin.spent && !coin.recoverable && !coin.unrolled);
  return {
    available: alive.reduce((sum, { amount }) => sum + amount, 0n),
    firstExpiry: alive.length === 0 ? null : Math.min(...alive.map(({ expiresAt }) => expiresAt)),
    now: wall(),
    onChain: onChain?.() ?? { coins: 0, sats: 0n, from: null },
  };
}

async function folderOf({ dataDir: path, inNode = false }: DoctorOptions): Promise<FolderFacts> {
  const there = existsSync(path);
  const boundFile = join(path, 'network');
  const { bavail, bsize } = await statfs(there ? path : nearestThere(path));
  return {
    path,
    there,
    open: there && process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0,
    boundTo: existsSync(boundFile) ? readFileSync(boundFile, 'utf8').trim() : null,
    freeBytes: bavail * bsize,
    database: inspectDatabase(
      databasePath(path),
      inNode && sizeOf(databasePath(path)) > readWhileRunning ? 'none' : 'quick_check',
    ),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function nearestThere(path: string): string {
  let at = path;
  while (!existsSync(at)) at = join(at, '..');
  return at;
}
