import { Address, OutScript, TEST_NETWORK } from '@scure/btc-signer';
import { faucetScript } from '../kit/faucet.ts';
import { createMiner } from '../kit/miner.ts';
import { openRpc, type Rpc } from '../kit/rpc.ts';
import type { GivenOperator } from './environment.ts';

/** The chain that a given operator follows, mined through the btcd that it was started on. */
export interface OperatorChain {
  readonly rpc: Rpc;
  mine(count: number, address?: string): Promise<void>;
  medianTime(): Promise<number>;
  /** Mines blocks stamped ahead until median time past has reached the moment. */
  reach(mtp: number): Promise<void>;
  /** Brings a young chain to where every soft fork of regtest is active; its rich first blocks fill the faucet. */
  mature(): Promise<void>;
}

/** csv, segwit and taproot are active from 432 on, block-typed locktimes from 1351 (BIP-65 on btcd's regtest). */
const matureHeight = 1_400;
/** Consensus refuses blocks more than two hours ahead of the clock. */
const furthestAhead = 7_000;

export function openChain(btcd: GivenOperator['btcd']): OperatorChain {
  const rpc = openRpc(btcd);
  const miner = createMiner(() => rpc);

  async function mine(count: number, address?: string): Promise<void> {
    const script =
      address === undefined
        ? undefined
        : OutScript.encode(Address({ ...TEST_NETWORK, bech32: 'bcrt' }).decode(address));
    for (let i = 0; i < count; i++) await miner.mineBlock(script === undefined ? {} : { script });
  }

  return {
    rpc,
    mine,
    medianTime: () => miner.medianTime(),
    async reach(mtp) {
      const ahead = mtp - Math.floor(Date.now() / 1_000);
      if (ahead > furthestAhead)
        throw new Error(
          `median time past cannot be brought ${ahead} s ahead of the clock; ${furthestAhead} s is the most that ` +
            'blocks allow',
        );
      if ((await miner.medianTime()) >= mtp) return;
      await miner.warp(Math.max(0, ahead) + 1);
      const reached = await miner.medianTime();
      if (reached < mtp) throw new Error(`median time past is ${reached} after mining, not ${mtp}`);
    },
    async mature() {
      const height = await rpc.call<number>('getblockcount');
      for (let at = height; at < matureHeight; at++) await miner.mineBlock({ script: faucetScript });
    },
  };
}
