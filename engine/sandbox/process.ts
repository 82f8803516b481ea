import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { serveControl } from './control/server.ts';
import { type SandboxEndpoints, endpointsFile, readEndpoints, sandboxFolder } from './endpoints.ts';
import { openNetworks } from './networks.ts';
import { isTaken, openPortBook } from './port-book.ts';
import { openSecrets, processTable } from './secrets.ts';
import { clockTable } from './world/clock.ts';
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

/** Brings up all networks of a data folder as they were, on the ports they had, and says where they are. */
export async function runSandbox({ dataDir, port, bitcoinRpc }: SandboxOptions): Promise<Sandbox | Refusal> {
  if (bitcoinRpc !== undefined) return refuse('invalid', 'The sandbox cannot follow the chain of a real Bitcoin node yet: start it without --bitcoin-rpc.');
  mkdirSync(sandboxFolder(dataDir), { recursive: true, mode: 0o700 });
  const opened = openSqliteJournal(join(sandboxFolder(dataDir), 'networks.db'));
  if (opened === 'locked') {
    const first = readEndpoints(dataDir);
    const who = first === null ? '' : ` (process ${first.pid}, ${first.control.url})`;
    return refuse('unavailable', `The sandbox of ${dataDir} runs already${who}: use that one, stop it first, or choose another folder with --data-dir.`);
  }

  const journal = opened;
  const ending: (() => void | Promise<void>)[] = [() => journal.close()];
  async function stop(): Promise<void> {
    for (const end of ending.splice(0).reverse()) await end();
  }

  try {
    const secrets = openSecrets(journal);
    const ports = openPortBook(journal);
    let networks = await openNetworks(journal, secrets, ports);
    ending.push(() => networks.stop());

    /** Fresh networks at the same places. The clock stays: it goes back for nobody. */
    async function reset(): Promise<void> {
      await networks.stop();
      journal.forgetAllBut([processTable, clockTable]);
      networks = await openNetworks(journal, secrets, ports);
      writeEndpoints(dataDir, endpoints());
    }

    const control = await ports.serve('control', port, (wanted) => serveControl({ networks: () => networks, reset, port: wanted, token: secrets.token }), (server) => server.port);
    ending.push(() => control.stop());

    function endpoints(): SandboxEndpoints {
      return {
        pid: process.pid,
        control: { url: control.url, token: secrets.token },
        arkade: { url: networks.arkadeUrl },
        bitcoin: { esploraUrl: networks.esploraUrl },
        lnd: { socket: networks.lndSocket, cert: Buffer.from(secrets.certificate.cert).toString('base64'), macaroon: toHex(secrets.macaroon) },
      };
    }

    writeEndpoints(dataDir, endpoints());
    ending.push(() => rmSync(endpointsFile(dataDir), { force: true }));
    return { url: control.url, endpoints: endpoints(), stop };
  } catch (error) {
    await stop();
    if (port !== 0 && isTaken(error)) return refuse('unavailable', `Port ${port} is in use by another program: choose another one with --port, or 0 for any.`);
    throw error;
  }
}

/** A reader finds the whole file or none. */
function writeEndpoints(dataDir: string, endpoints: SandboxEndpoints): void {
  const file = endpointsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
