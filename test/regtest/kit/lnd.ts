import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { authenticatedLndGrpc, getWalletInfo, type AuthenticatedLnd } from 'ln-service';
import type { BitcoinNode } from './bitcoin-node.ts';
import { freePort, startDaemon, until, type Daemon } from './daemon.ts';
import { openTaprootDoor } from './taproot-door.ts';

/** An lnd on a Bitcoin node, at the same ports and with the same credentials over all its lives. */
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
  /** Waits until it has the block at this height. Needs its Bitcoin node. */
  reached(height: number): Promise<void>;
}

export interface LndOptions {
  readonly program: string;
  readonly folder: string;
  readonly alias: string;
  readonly bitcoin: BitcoinNode;
  readonly extra?: readonly string[];
}

const firstStartMs = 150_000;
/** lnd calls hang while its Bitcoin node is away. */
const callLimitMs = 5_000;

export async function startLnd({ program, folder, alias, bitcoin, extra = [] }: LndOptions): Promise<Lnd> {
  const socket = `127.0.0.1:${await freePort()}`;
  const p2p = `127.0.0.1:${await freePort()}`;
  const certFile = join(folder, 'tls.cert');
  const macaroonFile = join(folder, 'data', 'chain', 'bitcoin', 'regtest', 'admin.macaroon');
  const door = bitcoin.kind === 'core' ? await openTaprootDoor(bitcoin) : null;
  const args = [
    `--lnddir=${folder}`,
    '--bitcoin.regtest',
    ...backendOf(bitcoin, door?.host),
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
    // It would shut itself down after a minute without its Bitcoin node.
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
      await door?.stop();
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

/** How lnd hears of the chain: btcd tells it, Core is asked in turns, for a Core without ZMQ tells nobody. */
function backendOf({ kind, url, user, password, caFile }: BitcoinNode, host = new URL(url).host): string[] {
  if (kind === 'btcd')
    return [
      '--bitcoin.node=btcd',
      `--btcd.rpchost=${host}`,
      `--btcd.rpcuser=${user}`,
      `--btcd.rpcpass=${password}`,
      `--btcd.rpccert=${caFile}`,
    ];
  return [
    '--bitcoin.node=bitcoind',
    `--bitcoind.rpchost=${host}`,
    `--bitcoind.rpcuser=${user}`,
    `--bitcoind.rpcpass=${password}`,
    '--bitcoind.rpcpolling',
    '--bitcoind.blockpollinginterval=500ms',
    '--bitcoind.txpollinginterval=500ms',
  ];
}
