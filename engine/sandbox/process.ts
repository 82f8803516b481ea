import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../domain/errors.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { createMiner } from './control/miner.ts';
import { serveControl } from './control/server.ts';
import { type SandboxEndpoints, endpointsFile, readEndpoints, sandboxFolder } from './endpoints.ts';
import { serveArkade } from './wire/arkade.ts';
import { serveEsplora } from './wire/esplora.ts';
import { serveLnd } from './wire/lnd.ts';
import { type Certificate, makeCertificate } from './wire/lnd/certificate.ts';
import { bakeMacaroon } from './wire/lnd/macaroon.ts';
import { createOperator } from './world/arkade/operator.ts';
import { createBitcoin } from './world/bitcoin/chain.ts';
import { createTime } from './world/clock.ts';
import type { Journal } from './world/journal.ts';
import { createLightning } from './world/lightning/lightning.ts';
import { openSqliteJournal } from './world/sqlite-journal.ts';

export interface SandboxOptions {
  readonly dataDir: string;
  /** Of the control server; 0 takes the one of the last start where it is free, else any. */
  readonly port: number;
  /** A real Bitcoin node whose clock the networks follow. */
  readonly bitcoinRpc?: string;
}

export interface Sandbox {
  /** Of the control server. */
  readonly url: string;
  readonly endpoints: SandboxEndpoints;
  stop(): Promise<void>;
}

const table = 'process';
/** A payment arrives in a later turn of the event loop, as it does over a network. */
const travelMs = 1;
const tickMs = 1_000;

/** Brings up all networks of a data folder as they were, on the ports they had, and says where they are. */
export async function runSandbox({ dataDir, port, bitcoinRpc }: SandboxOptions): Promise<Sandbox | Refusal> {
  if (bitcoinRpc !== undefined) return refuse('invalid', 'The sandbox cannot follow the chain of a real Bitcoin node yet: start it without --bitcoin-rpc.');
  mkdirSync(sandboxFolder(dataDir), { recursive: true, mode: 0o700 });
  const journal = openSqliteJournal(join(sandboxFolder(dataDir), 'networks.db'));
  if (journal === 'locked') {
    const first = readEndpoints(dataDir);
    const who = first === null ? '' : ` (process ${first.pid}, ${first.control.url})`;
    return refuse('unavailable', `The sandbox of ${dataDir} runs already${who}: use that one, stop it first, or choose another folder with --data-dir.`);
  }

  const ending: (() => void | Promise<void>)[] = [() => journal.close()];
  async function stop(): Promise<void> {
    for (const end of ending.splice(0).reverse()) await end();
  }

  try {
    const secrets = openSecrets(journal);
    const ports = portBook(journal);
    const bitcoin = createBitcoin({ journal, time: createTime(journal) });
    let travelling = true;
    const lightning = createLightning({
      journal,
      clock: bitcoin.clock,
      schedule: (arrive) => void setTimeout(() => travelling && arrive(), travelMs),
    });
    ending.push(() => {
      travelling = false;
      lightning.stop();
    });
    const ticking = setInterval(() => lightning.tick(), tickMs);
    ending.push(() => clearInterval(ticking));
    const miner = createMiner(bitcoin, journal);
    ending.push(() => miner.stop());
    const operator = createOperator({ clock: bitcoin.clock, journal });
    ending.push(() => operator.stop());

    const arkade = await ports.serve('arkade', 0, (wanted) => serveArkade(operator, { port: wanted }), ({ url }) => Number(new URL(url).port));
    ending.push(() => arkade.stop());
    const esplora = await ports.serve('esplora', 0, (wanted) => serveEsplora(bitcoin, wanted), (server) => server.port);
    ending.push(() => esplora.stop());
    const lnd = await ports.serve('lnd', 0, (wanted) => serveLnd({ world: lightning, bitcoin, port: wanted, ...secrets }), (server) => server.port);
    ending.push(() => lnd.stop());
    const networks = { bitcoin, lightning, operator, miner, arkadeUrl: arkade.url, esploraUrl: esplora.url };
    const control = await ports.serve('control', port, (wanted) => serveControl(networks, wanted, secrets.token), (server) => server.port);
    ending.push(() => control.stop());

    const endpoints: SandboxEndpoints = {
      pid: process.pid,
      control: { url: control.url, token: secrets.token },
      arkade: { url: arkade.url },
      bitcoin: { esploraUrl: esplora.url },
      lnd: { socket: lnd.socket, cert: Buffer.from(secrets.certificate.cert).toString('base64'), macaroon: toHex(secrets.macaroon) },
    };
    writeEndpoints(dataDir, endpoints);
    ending.push(() => rmSync(endpointsFile(dataDir), { force: true }));
    return { url: control.url, endpoints, stop };
  } catch (error) {
    await stop();
    if (port !== 0 && isTaken(error)) return refuse('unavailable', `Port ${port} is in use by another program: choose another one with --port, or 0 for any.`);
    throw error;
  }
}

/** Made at the first start; kept, so that a node outlives a restart of its networks. */
function openSecrets(journal: Journal): { certificate: Certificate; macaroon: Uint8Array; token: string } {
  const saved = new Map(journal.rows(table)).get('secrets') as { certificate: Certificate; rootKey: string; token: string } | undefined;
  const secrets = saved ?? { certificate: makeCertificate(), rootKey: toHex(randomBytes(32)), token: toHex(randomBytes(32)) };
  if (saved === undefined) journal.put(table, 'secrets', secrets);
  return { certificate: secrets.certificate, macaroon: bakeMacaroon(fromHex(secrets.rootKey)), token: secrets.token };
}

interface PortBook {
  /** Serves at `asked`, or when that is 0 at the port of the last start, or when that is taken at any. */
  serve<Server>(name: string, asked: number, serve: (port: number) => Promise<Server>, portOf: (server: Server) => number): Promise<Server>;
}

function portBook(journal: Journal): PortBook {
  const saved = new Map(journal.rows(table));
  return {
    async serve(name, asked, serve, portOf) {
      const last = saved.get(`port:${name}`);
      const server = await (asked !== 0 || typeof last !== 'number'
        ? serve(asked)
        : serve(last).catch((error: unknown) => {
            if (isTaken(error)) return serve(0);
            throw error;
          }));
      journal.put(table, `port:${name}`, portOf(server));
      return server;
    },
  };
}

/** gRPC tells the system's code only inside its sentence. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' || error.message.includes('EADDRINUSE'));
}

/** A reader finds the whole file or none. */
function writeEndpoints(dataDir: string, endpoints: SandboxEndpoints): void {
  const file = endpointsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
