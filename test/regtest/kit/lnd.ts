import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authenticatedLndGrpc, getWalletInfo, type AuthenticatedLnd } from 'ln-service';
import type { Btcd } from './btcd.ts';
import { freePort, startDaemon, until, type Daemon } from './daemon.ts';

/** An lnd on a btcd, at the same ports and with the same credentials over all its lives. */
export interface Lnd {
  readonly alias: string;
  readonly folder: string;
  readonly publicKey: string;
  /** Host and port of its gRPC. */
  readonly socket: string;
  /** Host and port for other nodes. */
  readonly p2p: string;
  readonly certFile: string;
  /** The admin macaroon, a file of mode 0600. */
  readonly macaroonFile: string;
  /** A client of the kit's own; it finds a restarted lnd by itself. */
  readonly lnd: AuthenticatedLnd;
  readonly daemon: Daemon;
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again and waits until it has the whole chain. */
  start(): Promise<void>;
  /** Waits until it has the block at this height. Needs its btcd. */
  reached(height: number): Promise<void>;
}

export interface LndOptions {
  readonly program: string;
  readonly folder: string;
  readonly alias: string;
  readonly btcd: Btcd;
  readonly extra?: readonly string[];
}

const firstStartMs = 60_000;
/** lnd calls hang while btcd is away. */
const callLimitMs = 5_000;

export async function startLnd({ program, folder, alias, btcd, extra = [] }: LndOptions): Promise<Lnd> {
  const socket = `127.0.0.1:${await freePort()}`;
  const p2p = `127.0.0.1:${await freePort()}`;
  const certFile = join(folder, 'tls.cert');
  const macaroonFile = join(folder, 'data', 'chain', 'bitcoin', 'regtest', 'admin.macaroon');
  const args = [
    `--lnddir=${folder}`,
    '--bitcoin.regtest',
    '--bitcoin.node=btcd',
    `--btcd.rpchost=${new URL(btcd.url).host}`,
    `--btcd.rpcuser=${btcd.user}`,
    `--btcd.rpcpass=${btcd.password}`,
    `--btcd.rpccert=${btcd.caFile}`,
    `--listen=${p2p}`,
    `--rpclisten=${socket}`,
    `--alias=${alias}`,
    '--norest',
    '--nobootstrap',
    '--noseedbackup',
    '--no-backup-archive',
    '--bitcoin.defaultchanconfs=1',
    '--bitcoin.minhtlc=1',
    '--trickledelay=50',
    '--gossip.sub-batch-delay=5ms',
    '--caches.rpc-graph-cache-duration=100ms',
    '--db.batch-commit-interval=10ms',
    '--keep-failed-payment-attempts',
    '--maxpendingchannels=10',
    '--accept-keysend',
    '--protocol.wumbo-channels',
    // It would shut itself down after a minute without btcd.
    '--healthcheck.chainbackend.attempts=0',
    '--debuglevel=info',
    ...extra,
  ];
  let daemon = startDaemon(program, args, folder);

  async function ready(lnd: AuthenticatedLnd): Promise<string> {
    return until(
      `lnd ${alias} is synced`,
      async () => {
        const info = await withinLimit(getWalletInfo({ lnd }));
        return info.is_synced_to_chain ? info.public_key : null;
      },
      { of: daemon, limitMs: firstStartMs, stepMs: 100 },
    );
  }

  await until(
    `lnd ${alias} wrote its credentials`,
    async () => {
      return existsSync(certFile) && existsSync(macaroonFile) && readFileSync(macaroonFile).length > 0 ? true : null;
    },
    { of: daemon, limitMs: firstStartMs },
  );
  // lnd writes it readable for its group, 0640.
  chmodSync(macaroonFile, 0o600);
  const { lnd } = authenticatedLndGrpc({
    socket,
    cert: readFileSync(certFile).toString('base64'),
    macaroon: readFileSync(macaroonFile).toString('base64'),
  });
  const publicKey = await ready(lnd);

  return {
    alias,
    folder,
    publicKey,
    socket,
    p2p,
    certFile,
    macaroonFile,
    lnd,
    get daemon() {
      return daemon;
    },
    kill: () => daemon.kill(),
    async stop() {
      await daemon.stop();
      for (const client of Object.values(lnd) as { close?(): void }[]) client.close?.();
    },
    async start() {
      daemon = startDaemon(program, args, folder);
      await ready(lnd);
    },
    async reached(height) {
      await until(`lnd ${alias} has block ${height}`, async () => {
        const info = await withinLimit(getWalletInfo({ lnd }));
        return info.is_synced_to_chain && info.current_block_height >= height ? true : null;
      });
    },
  };
}

function withinLimit<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`lnd did not answer within ${callLimitMs / 1_000} s`)),
      callLimitMs,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
