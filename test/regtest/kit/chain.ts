import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BitcoinNode } from './bitcoin-node.ts';
import { findCore } from './build-core.ts';
import { startBtcd } from './btcd.ts';
import { startCore } from './core.ts';
import { findDaemons } from './build.ts';
import { temporaryFolder, until } from './daemon.ts';
import { bootstrap, gather, type Faucet } from './faucet.ts';
import { createMiner, type Miner } from './miner.ts';
import type { Rpc } from './rpc.ts';

/** Milliseconds for some thousand blocks. */
const joinMs = 60_000;

export interface Chain {
  readonly folder: string;
  /** At height 1,400, strict about what it relays, with an index of transactions unless it is `core-bare`. */
  readonly node: BitcoinNode;
  /** A second one, peered with the first: the chain's memory while the first restarts, or the other side of a split. */
  readonly memory: BitcoinNode;
  readonly miner: Miner;
  readonly faucet: Faucet;
  height(): Promise<number>;
  /** A third node and more, in this chain's folder, not peered yet. */
  another(options?: { lax?: boolean }): Promise<BitcoinNode>;
  /** SIGKILL of `node`, and back with the chain after `whileDown`. */
  restartNode(whileDown?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface ChainOptions {
  /** Bitcoin Core instead of btcd; `core-spends` with its index of spends, `core-bare` without any. */
  readonly over?: 'btcd' | 'core' | 'core-spends' | 'core-bare';
  /** Another node, whose chain is joined: nothing of ours is put in its place. */
  readonly joins?: Rpc;
}

const indexesOf = { core: 'transactions', 'core-spends': 'spends', 'core-bare': 'none' } as const;

export async function startChain({ joins, over = 'btcd' }: ChainOptions = {}): Promise<Chain> {
  const program = programOf(over);
  const folder = temporaryFolder();
  const started: BitcoinNode[] = [];
  let named = 0;

  async function another({ lax = false } = {}): Promise<BitcoinNode> {
    const own = join(folder, `node-${named++}`);
    const node =
      over === 'btcd'
        ? await startBtcd({ program, folder: own, lax })
        : await startCore({ program, folder: own, indexes: indexesOf[over] });
    started.push(node);
    return node;
  }

  async function meet(node: BitcoinNode): Promise<void> {
    if (joins === undefined) return;
    await joins.call('addnode', node.p2p, 'onetry');
    await until(
      'the node has the chain that it joins',
      async () => ((await node.rpc.call('getbestblockhash')) === (await joins.call('getbestblockhash')) ? true : null),
      { limitMs: joinMs },
    );
  }

  async function stop(): Promise<void> {
    await Promise.all(started.map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const [node, memory] = await Promise.all([another(), another()]);
    const miner = createMiner(() => node.rpc);
    await meet(node);
    const faucet = joins === undefined ? await bootstrap(() => node.rpc) : await gather(() => node.rpc, mineTo(miner));
    // lnd calls itself in step with the chain only where the last block is a recent one.
    if (joins !== undefined) await miner.mine(1);
    await node.connect(memory);
    return {
      folder,
      node,
      memory,
      faucet,
      miner,
      height: () => node.rpc.call('getblockcount'),
      another,
      async restartNode(whileDown) {
        await node.kill();
        await whileDown?.();
        await node.start(memory);
        await meet(node);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function mineTo(miner: Miner): (count: number, script: Uint8Array) => Promise<void> {
  return async (count, script) => {
    for (let i = 0; i < count; i++) await miner.mineBlock({ script });
  };
}

function programOf(over: NonNullable<ChainOptions['over']>): string {
  if (over === 'btcd') {
    const daemons = findDaemons();
    if ('absent' in daemons) throw new Error(daemons.absent);
    return daemons.btcd;
  }
  const core = findCore();
  if ('absent' in core) throw new Error(core.absent);
  return core.program;
}
