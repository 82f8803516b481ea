import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { copyMempool, type BitcoinNode } from './bitcoin-node.ts';
import { freePort, startDaemon, until, type Daemon } from './daemon.ts';
import { openRpc, type Rpc, type RpcEndpoint } from './rpc.ts';

export interface CoreOptions {
  readonly program: string;
  readonly folder: string;
  /**
   * Of transactions when left out; of spends too by `-txospenderindex`, of Core 31 and later, which names spends in
   * blocks by their outpoint.
   */
  readonly indexes?: keyof typeof indexFlags;
  /** More flags. */
  readonly extra?: readonly string[];
}

const indexFlags = { none: [], transactions: ['-txindex'], spends: ['-txindex', '-txospenderindex'] } as const;

/** A Bitcoin Core on regtest: strict about what it relays, without a wallet. */
export async function startCore({
  program,
  folder,
  indexes = 'transactions',
  extra = [],
}: CoreOptions): Promise<BitcoinNode> {
  const port = await freePort();
  const p2p = `127.0.0.1:${await freePort()}`;
  const endpoint: RpcEndpoint = { url: `http://127.0.0.1:${port}`, user: 'regtest', password: 'regtest', caFile: null };
  const args = [
    '-regtest',
    `-datadir=${folder}`,
    '-server',
    `-bind=${p2p}`,
    '-rpcbind=127.0.0.1',
    '-rpcallowip=127.0.0.1',
    `-rpcport=${port}`,
    // Beside the cookie, which it leaves out where a password stands in the open.
    `-rpcauth=${endpoint.user}:salt$${createHmac('sha256', 'salt').update(endpoint.password).digest('hex')}`,
    '-rpcthreads=8',
    '-rpcworkqueue=256',
    ...indexFlags[indexes],
    '-acceptnonstdtxn=0',
    '-dnsseed=0',
    '-fixedseeds=0',
    '-natpmp=0',
    '-dbcache=50',
    // Core takes the last of two that contradict each other.
    ...extra,
  ];
  let daemon: Daemon;
  let rpc: Rpc;

  async function launch(): Promise<void> {
    daemon = startDaemon(program, args, folder);
    rpc = await until(
      'Bitcoin Core answers',
      async () => {
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
  const core: BitcoinNode = {
    ...endpoint,
    kind: 'core',
    cookieFile: join(folder, 'regtest', '.cookie'),
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
      await rpc.call('disconnectnode', peer.p2p);
      await until('two Bitcoin nodes part', async () =>
        (await rpc.call<{ addr: string }[]>('getpeerinfo')).some(({ addr }) => addr === peer.p2p) ? null : true,
      );
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    async start(memory) {
      await launch();
      if (memory === undefined) return;
      await core.connect(memory);
      await copyMempool(memory.rpc, rpc);
    },
  };
  return core;
}
