import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startBtcd, type Btcd } from './btcd.ts';
import { findDaemons } from './build.ts';
import { temporaryFolder, until } from './daemon.ts';
import { bootstrap, gather, type Faucet } from './faucet.ts';
import { createMiner, type Miner } from './miner.ts';
import type { Rpc } from './rpc.ts';

/** Milliseconds for some thousand blocks. */
const joinMs = 60_000;

export interface Chain {
  readonly folder: string;
  /** At height 1,400, strict about what it relays, with indexes of transactions and addresses. */
  readonly btcd: Btcd;
  /** A second one, peered with the first: the chain's memory while the first restarts, or the other side of a split. */
  readonly memory: Btcd;
  readonly miner: Miner;
  readonly faucet: Faucet;
  height(): Promise<number>;
  /** A third btcd and more, in this chain's folder, not peered yet. */
  another(options?: { lax?: boolean }): Promise<Btcd>;
  /** SIGKILL of `btcd`, and back with the chain after `whileDown`. */
  restartBtcd(whileDown?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface ChainOptions {
  /** Another btcd, whose chain is joined: nothing of ours is put in its place. */
  readonly joins?: Rpc;
}

export async function startChain({ joins }: ChainOptions = {}): Promise<Chain> {
  const daemons = findDaemons();
  if ('absent' in daemons) throw new Error(daemons.absent);
  const program = daemons.btcd;
  const folder = temporaryFolder();
  const started: Btcd[] = [];
  let named = 0;

  async function another({ lax = false } = {}): Promise<Btcd> {
    const btcd = await startBtcd({ program, folder: join(folder, `btcd-${named++}`), lax });
    started.push(btcd);
    return btcd;
  }

  async function meet(btcd: Btcd): Promise<void> {
    if (joins === undefined) return;
    await joins.call('addnode', btcd.p2p, 'onetry');
    await until(
      'btcd has the chain that it joins',
      async () => ((await btcd.rpc.call('getbestblockhash')) === (await joins.call('getbestblockhash')) ? true : null),
      { limitMs: joinMs },
    );
  }

  async function stop(): Promise<void> {
    await Promise.all(started.map((btcd) => btcd.stop()));
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const [btcd, memory] = await Promise.all([another(), another()]);
    const miner = createMiner(() => btcd.rpc);
    await meet(btcd);
    const faucet = joins === undefined ? await bootstrap(() => btcd.rpc) : await gather(() => btcd.rpc, mineTo(miner));
    // lnd calls itself in step with the chain only where the last block is a recent one.
    if (joins !== undefined) await miner.mine(1);
    await btcd.connect(memory);
    return {
      folder,
      btcd,
      memory,
      faucet,
      miner,
      height: () => btcd.rpc.call('getblockcount'),
      another,
      async restartBtcd(whileDown) {
        await btcd.kill();
        await whileDown?.();
        await btcd.start(memory);
        await meet(btcd);
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
