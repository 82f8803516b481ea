import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { copyMempool, type BitcoinNode } from './bitcoin-node.ts';
import { freePort, startDaemon, until, type Daemon } from './daemon.ts';
import { openRpc, type Rpc } from './rpc.ts';

/** A btcd on regtest; what it listens with is its own certificate. */
export type Btcd = BitcoinNode & { readonly kind: 'btcd'; readonly caFile: string };

export interface BtcdOptions {
  readonly program: string;
  readonly folder: string;
  /** Takes transactions that are not standard, and so also those whose locktime is not over. */
  readonly lax?: boolean;
}

export async function startBtcd({ program, folder, lax = false }: BtcdOptions): Promise<Btcd> {
  const port = await freePort();
  const p2p = `127.0.0.1:${await freePort()}`;
  const endpoint = {
    url: `https://127.0.0.1:${port}`,
    user: 'regtest',
    password: 'regtest',
    caFile: join(folder, 'rpc.cert'),
  };
  const args = [
    '--regtest',
    `--datadir=${join(folder, 'data')}`,
    `--logdir=${join(folder, 'logs')}`,
    `--listen=${p2p}`,
    `--rpclisten=127.0.0.1:${port}`,
    `--rpcuser=${endpoint.user}`,
    `--rpcpass=${endpoint.password}`,
    `--rpccert=${endpoint.caFile}`,
    `--rpckey=${join(folder, 'rpc.key')}`,
    '--txindex',
    '--addrindex',
    '--nodnsseed',
    '--nobanning',
    '--nostalldetect',
    '--trickleinterval=100ms',
    '--utxocachemaxsize=16',
    '--rpcmaxclients=100',
    '--rpcmaxwebsockets=100',
    ...(lax ? [] : ['--rejectnonstd']),
  ];
  let daemon: Daemon;
  let rpc: Rpc;

  async function launch(): Promise<void> {
    daemon = startDaemon(program, args, folder);
    rpc = await until(
      'btcd answers',
      async () => {
        if (!existsSync(endpoint.caFile)) return null;
        const opened = openRpc(endpoint);
        try {
          await opened.call('getblockcount');
          return opened;
        } catch (error) {
          opened.close();
          throw error;
        }
      },
      { of: daemon },
    );
  }

  async function end(how: 'kill' | 'stop'): Promise<void> {
    rpc.close();
    await daemon[how]();
  }

  await launch();
  const btcd: Btcd = {
    ...endpoint,
    kind: 'btcd',
    cookieFile: null,
    folder,
    p2p,
    get rpc() {
      return rpc;
    },
    get daemon() {
      return daemon;
    },
    async connect(peer) {
      await rpc.call('addnode', peer.p2p, 'onetry');
      await until('two Bitcoin nodes agree', async () => {
        const [ours, theirs] = await Promise.all([
          rpc.call<string>('getbestblockhash'),
          peer.rpc.call<string>('getbestblockhash'),
        ]);
        return ours === theirs ? true : null;
      });
    },
    async disconnect(peer) {
      await rpc.call('node', 'disconnect', peer.p2p);
      await until('two Bitcoin nodes part', async () =>
        (await rpc.call<{ addr: string }[]>('getpeerinfo')).some(({ addr }) => addr === peer.p2p) ? null : true,
      );
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    async start(memory) {
      await launch();
      if (memory === undefined) return;
      await btcd.connect(memory);
      await copyMempool(memory.rpc, rpc);
    },
  };
  return btcd;
}
