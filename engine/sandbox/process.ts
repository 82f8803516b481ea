import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, isRefusal, refuse } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import type { RunningArkade } from './arkade-network.ts';
import { aloneRoutes } from './control/alone.ts';
import { evmState } from './control/evm.ts';
import { minerTable } from './control/miner.ts';
import { controlRoutes } from './control/routes.ts';
import type { ControlRoute } from './control/route.ts';
import { serveControl } from './control/server.ts';
import {
  type OperatorEndpoints,
  type SandboxEndpoints,
  endpointsFile,
  readOperatorEndpoints,
  sandboxFolder,
} from './endpoints.ts';
import { openNetworks } from './networks.ts';
import { type RealNode, openOperatorAlone, reachNode } from './operator-alone.ts';
import { type PortBook, isTaken, openPortBook } from './port-book.ts';
import { type Secrets, openSecrets, processTable } from './secrets.ts';
import { clockTable } from './world/clock.ts';
import type { Journal } from './world/journal.ts';
import { openSqliteJournal } from './world/sqlite-journal.ts';

export interface SandboxOptions {
  readonly dataDir: string;
  /** Of the control server; 0 takes the one of the last start where it is free, else any. */
  readonly port: number;
}

export interface Sandbox<Endpoints = SandboxEndpoints> {
  /** Of the control server. */
  readonly url: string;
  readonly endpoints: Endpoints;
  stop(): Promise<void>;
}

/** Brings up all networks of a data folder as they were, on the ports they had, and says where they are. */
export function runSandbox(options: SandboxOptions): Promise<Sandbox | Refusal> {
  return run(options, {
    chain: 'own',
    routes: controlRoutes,
    open: openNetworks,
    endpoints: (networks, secrets) => ({
      bitcoin: { esploraUrl: networks.esploraUrl, rpc: { url: networks.coreUrl, ...secrets.rpc } },
      payee: { url: networks.payee.url },
      ...evmState(networks),
      lnd: {
        socket: networks.lndSocket,
        cert: Buffer.from(secrets.certificate.cert).toString('base64'),
        macaroon: toHex(secrets.macaroon),
        adminMacaroon: toHex(secrets.adminMacaroon),
      },
    }),
  });
}

/** Brings up the Arkade operator of a data folder alone, on the clock of a real Bitcoin node. */
export async function runOperatorAlone(
  options: SandboxOptions & { readonly node: RealNode },
): Promise<Sandbox<OperatorEndpoints> | Refusal> {
  const chain = await reachNode(options.node);
  if (isRefusal(chain)) return chain;
  return run<RunningArkade, unknown>(options, {
    chain: 'real',
    routes: aloneRoutes,
    open: (journal, _, ports) => openOperatorAlone(chain, journal, ports),
    endpoints: () => ({}),
  });
}

interface Stage<Networks, More> {
  /** Whose time a folder's networks live in: they cannot change over. */
  readonly chain: 'own' | 'real';
  readonly routes: readonly ControlRoute<Networks>[];
  readonly open: (journal: Journal, secrets: Secrets, ports: PortBook) => Promise<Networks>;
  /** Beside those that every stage has. */
  readonly endpoints: (networks: Networks, secrets: Secrets) => More;
}

async function run<Networks extends RunningArkade, More>(
  { dataDir, port }: SandboxOptions,
  stage: Stage<Networks, More>,
): Promise<Sandbox<OperatorEndpoints & More> | Refusal> {
  mkdirSync(sandboxFolder(dataDir), { recursive: true, mode: 0o700 });
  const opened = openSqliteJournal(join(sandboxFolder(dataDir), 'networks.db'));
  if (opened === 'locked') {
    const first = readOperatorEndpoints(dataDir);
    const who = first === null ? '' : ` (process ${first.pid}, ${first.control.url})`;
    return refuse(
      'unavailable',
      `The sandbox of ${dataDir} runs already${who}: use that one, stop it first, or choose another folder with ` +
        '--data-dir.',
    );
  }

  const journal = opened;
  const ending: (() => void | Promise<void>)[] = [() => journal.close()];
  async function stop(): Promise<void> {
    for (const end of ending.splice(0).reverse()) await end();
  }

  try {
    const bound = bindChain(journal, stage.chain);
    if (bound !== stage.chain) {
      await stop();
      return refuse(
        'invalid',
        `The networks of ${dataDir} live on ${chainNames[bound]}: choose another folder with --data-dir for ` +
          `networks on ${chainNames[stage.chain]}.`,
      );
    }
    const secrets = openSecrets(journal);
    const ports = openPortBook(journal);
    let networks = await stage.open(journal, secrets, ports);
    ending.push(() => networks.stop());

    /** Fresh networks at the same places. The clock stays: it goes back for nobody. So does how blocks come. */
    async function reset(): Promise<void> {
      await networks.stop();
      journal.forgetAllBut([processTable, clockTable, minerTable]);
      networks = await stage.open(journal, secrets, ports);
      writeEndpoints(dataDir, endpoints());
    }

    const control = await ports.serve(
      'control',
      port,
      (wanted) =>
        serveControl({ routes: stage.routes, networks: () => networks, reset, port: wanted, token: secrets.token }),
      (server) => server.port,
    );
    ending.push(() => control.stop());

    function endpoints(): OperatorEndpoints & More {
      return {
        pid: process.pid,
        control: { url: control.url, token: secrets.token },
        arkade: { url: networks.arkadeUrl, adminUrl: networks.arkadeAdminUrl },
        ...stage.endpoints(networks, secrets),
      };
    }

    writeEndpoints(dataDir, endpoints());
    ending.push(() => rmSync(endpointsFile(dataDir), { force: true }));
    return { url: control.url, endpoints: endpoints(), stop };
  } catch (error) {
    await stop();
    if (port !== 0 && isTaken(error))
      return refuse(
        'unavailable',
        `Port ${port} is in use by another program: choose another one with --port, or 0 for any.`,
      );
    throw error;
  }
}

const chainNames = { own: 'a chain of their own', real: 'the chain of a real Bitcoin node' } as const;

/** The chain that the folder's networks live on: the one wanted, when there are none yet. */
function bindChain(journal: Journal, wanted: 'own' | 'real'): 'own' | 'real' {
  const rows = new Map(journal.rows(processTable));
  const saved = rows.get('chain');
  if (saved === 'own' || saved === 'real') return saved;
  if (rows.size > 0) return 'own'; // A folder from before the networks could live on any other.
  journal.put(processTable, 'chain', wanted);
  return wanted;
}

/** A reader finds the whole file or none. */
function writeEndpoints(dataDir: string, endpoints: OperatorEndpoints): void {
  const file = endpointsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
