import type { Daemon } from './daemon.ts';
import type { Rpc, RpcEndpoint } from './rpc.ts';

/** A Bitcoin node on regtest, at the same ports over all its lives. */
export interface BitcoinNode extends RpcEndpoint {
  readonly kind: 'btcd' | 'core';
  readonly folder: string;
  /** Where the node writes the credentials of its present life; null for one that has none. */
  readonly cookieFile: string | null;
  readonly rpc: Rpc;
  readonly daemon: Daemon;
  /** Host and port for other nodes and for `addnode`. */
  readonly p2p: string;
  /** Peers with another one and waits until both have the longer chain. */
  connect(peer: BitcoinNode): Promise<void>;
  disconnect(peer: BitcoinNode): Promise<void>;
  /**
   * SIGKILL. btcd on regtest forgets its chain and its mempool with that, as with every end; Core may lose its mempool.
   */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again; with a memory it gets chain and mempool back from there, without one it goes by its own disk. */
  start(memory?: BitcoinNode): Promise<void>;
}

/** Peers tell each other only of what is new in a mempool. What is refused here has no place on the chain any more. */
export async function copyMempool(from: Rpc, to: Rpc): Promise<void> {
  for (const txid of await from.call<string[]>('getrawmempool'))
    await to.call('sendrawtransaction', await from.call<string>('getrawtransaction', txid, 0));
}
