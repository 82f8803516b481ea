import { toHex } from '../../../engine/domain/hex.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import type { BitcoinCoin } from '../../stories/client/from-bitcoin.ts';
import { eventually } from '../../stories/wire-node.ts';
import type { Chain } from './chain.ts';

/** What stories do to a Bitcoin node's chain and read from it, past the node. */
export interface BitcoinHands {
  pay(script: Uint8Array, amount: bigint): Promise<BitcoinCoin>;
  /** Hands in a transaction; answers its id, throws what the Bitcoin node says. */
  send(bytes: Uint8Array): Promise<string>;
  mempool(): Promise<string[]>;
  /** Which transaction of the mempool spends it; null for none. */
  waitingSpend(coin: Pick<BitcoinCoin, 'txid' | 'vout'>): Promise<string | null>;
  /** The same, waited for. */
  spender(coin: Pick<BitcoinCoin, 'txid' | 'vout'>): Promise<string>;
  bytes(txid: string): Promise<Uint8Array>;
  /** What its miners get for it. */
  feeOf(txid: string): Promise<bigint>;
  /** Zero while it waits; null for one that the Bitcoin node does not know. */
  confirmations(txid: string): Promise<number | null>;
  /** A block with these alone, parents first. */
  mineOnly(...txids: readonly string[]): Promise<void>;
  /** Replaces the newest blocks by one more than they are, the first of them with these, the others empty. */
  reorg(depth: number, instead?: readonly Uint8Array[]): Promise<void>;
  /** SIGKILL: the chain comes back from its peer, the mempool does not. */
  forget(whileDown?: () => Promise<void>): Promise<void>;
}

const patienceMs = 120_000;

export function handsOn({ node, memory, miner, faucet }: Chain): BitcoinHands {
  const bytesOf = async (txid: string) =>
    Uint8Array.from(Buffer.from(await node.rpc.call<string>('getrawtransaction', txid, 0), 'hex'));
  const mempool = () => node.rpc.call<string[]>('getrawmempool');

  async function waitingSpend({ txid, vout }: Pick<BitcoinCoin, 'txid' | 'vout'>): Promise<string | null> {
    const [row] = await node.rpc.call<{ spendingtxid?: string }[]>('gettxspendingprevout', [{ txid, vout }]);
    return row?.spendingtxid ?? null;
  }

  return {
    async pay(script, amount) {
      const { txid } = await faucet.pay([{ to: script, amount }]);
      return { txid, vout: 0, amount };
    },
    async send(bytes) {
      await node.rpc.call('sendrawtransaction', toHex(bytes));
      return readTransaction(bytes).txid;
    },
    mempool,
    waitingSpend,
    async spender(coin) {
      const spend = await eventually(
        () => waitingSpend(coin),
        (txid) => txid !== null,
        patienceMs,
      );
      if (spend === null) throw new Error(`nothing spends ${coin.txid}`);
      return spend;
    },
    bytes: bytesOf,
    async feeOf(txid) {
      const { inputs, outputs } = readTransaction(await bytesOf(txid));
      let fee = 0n;
      for (const { txid: before, vout } of inputs)
        fee += readTransaction(await bytesOf(before)).outputs[vout]?.amount ?? 0n;
      return outputs.reduce((left, { amount }) => left - amount, fee);
    },
    confirmations: (txid) =>
      node.rpc.call<{ confirmations?: number }>('getrawtransaction', txid, 1).then(
        ({ confirmations }) => confirmations ?? 0,
        () => null,
      ),
    async mineOnly(...txids) {
      await miner.mineBlock({ transactions: await Promise.all(txids.map(bytesOf)) });
    },
    async reorg(depth, instead = []) {
      const top = await node.rpc.call<number>('getblockcount');
      let parent = await node.rpc.call<string>('getblockhash', top - depth);
      // One block more than there was: the longer branch wins.
      for (let i = 0; i <= depth; i++)
        parent = (await miner.mineBlock({ parent, transactions: i === 0 ? instead : [] })).hash;
    },
    async forget(whileDown) {
      const tip = await node.rpc.call<string>('getbestblockhash');
      await eventually(
        () => memory.rpc.call<string>('getbestblockhash'),
        (hash) => hash === tip,
      );
      await node.kill();
      await whileDown?.();
      await node.start();
      await node.connect(memory);
    },
  };
}
