import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startBtcd, type Btcd } from './btcd.ts';
import { findDaemons } from './build.ts';
import { temporaryFolder } from './daemon.ts';
import { bootstrap, type Faucet } from './faucet.ts';
import { createMiner, type Miner } from './miner.ts';

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

export async function startChain(): Promise<Chain> {
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

  async function stop(): Promise<void> {
    await Promise.all(started.map((btcd) => btcd.stop()));
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const [btcd, memory] = await Promise.all([another(), another()]);
    const faucet = await bootstrap(() => btcd.rpc);
    await btcd.connect(memory);
    return {
      folder,
      btcd,
      memory,
      faucet,
      miner: createMiner(() => btcd.rpc),
      height: () => btcd.rpc.call('getblockcount'),
      another,
      async restartBtcd(whileDown) {
        await btcd.kill();
        await whileDown?.();
        await btcd.start(memory);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
