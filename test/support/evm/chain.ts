// An EVM chain within the process: the contracts' real bytecode in a maintained library, for runs by the thousand.
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import type { Block } from '@ethereumjs/block';
import { runTx } from '@ethereumjs/vm';
import { type Hex, toHex } from 'viem';
import { type CallFields, estimateGas, runCall } from './calls.ts';
import { RpcFailure } from './failure.ts';
import { type Filter, blockJson, logsIn, receiptJson, transactionJson } from './json.ts';
import { type Waiting, createPool } from './pool.ts';
import { type Genesis, blockAt, openState } from './state.ts';

export interface MinedTransaction extends Waiting {
  readonly index: number;
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly cumulativeGas: bigint;
  readonly price: bigint;
  readonly logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex }[];
}

export interface MinedBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  readonly baseFee: bigint;
  readonly stateRoot: Uint8Array;
  readonly transactions: readonly MinedTransaction[];
  readonly header: Block;
}

export interface EvmInProcess {
  /** JSON-RPC without the wire: rejects with an `RpcFailure`. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  mine(blocks: number): Promise<void>;
  setBaseFee(wei: bigint): void;
}

const noHash: Hex = `0x${'00'.repeat(32)}`;

export async function openEvmInProcess(genesis: Genesis, now: () => number): Promise<EvmInProcess> {
  const state = await openState(genesis);
  const { vm } = state;
  const pool = createPool(state.common);
  const chainId = genesis.config.chainId;
  let baseFee = BigInt(genesis.baseFeePerGas);
  const first = { number: 0, timestamp: Number(genesis.timestamp), baseFee, parentHash: noHash };
  const blocks: MinedBlock[] = [await sealed(first, [])];
  let lastTurn: Promise<unknown> = Promise.resolve();

  function tip(): MinedBlock {
    return blocks.at(-1)!;
  }

  async function sealed(place: typeof first, transactions: readonly MinedTransaction[]): Promise<MinedBlock> {
    const stateRoot = await vm.stateManager.getStateRoot();
    const header = blockAt(state, place, stateRoot);
    return { ...place, hash: bytesToHex(header.hash()), stateRoot, transactions, header };
  }

  async function accountOf(address: string): Promise<{ nonce: bigint; balance: bigint }> {
    const account = await vm.stateManager.getAccount(createAddressFromString(address));
    return { nonce: account?.nonce ?? 0n, balance: account?.balance ?? 0n };
  }

  async function mineOne(): Promise<void> {
    const { number, timestamp, hash } = tip();
    const place = { number: number + 1, timestamp: Math.max(now(), timestamp + 1), baseFee, parentHash: hash };
    const block = blockAt(state, place);
    const transactions: MinedTransaction[] = [];
    let cumulativeGas = 0n;
    const nonceOf = async (sender: Hex): Promise<bigint> => (await accountOf(sender)).nonce;
    for (let next = await pool.next(baseFee, nonceOf); next !== undefined; next = await pool.next(baseFee, nonceOf)) {
      pool.remove(next.hash);
      const ran = await runTx(vm, { tx: next.tx, block, skipHardForkValidation: true });
      cumulativeGas += ran.totalGasSpent;
      transactions.push({
        ...next,
        index: transactions.length,
        succeeded: ran.execResult.exceptionError === undefined,
        gasUsed: ran.totalGasSpent,
        cumulativeGas,
        price: ran.amountSpent / ran.totalGasSpent,
        logs: ran.receipt.logs.map(([address, topics, data]) => ({
          address: bytesToHex(address),
          topics: topics.map((topic) => bytesToHex(topic)),
          data: bytesToHex(data),
        })),
      });
    }
    blocks.push(await sealed(place, transactions));
  }

  function blockOf(tag: unknown): MinedBlock | undefined {
    if (tag === undefined || ['latest', 'pending', 'safe', 'finalized'].includes(tag as string)) return tip();
    if (typeof tag === 'object' && tag !== null)
      return blocks.find(({ hash }) => hash === (tag as { blockHash?: unknown }).blockHash);
    return tag === 'earliest' ? blocks[0] : blocks[Number(tag)];
  }

  /** Asks the state of a block, and leaves that of the tip behind. */
  async function at<T>(tag: unknown, ask: (block: MinedBlock) => Promise<T>): Promise<T> {
    const block = blockOf(tag);
    if (block === undefined) throw new RpcFailure(-32000, 'header not found');
    if (block === tip()) return ask(block);
    await vm.stateManager.setStateRoot(block.stateRoot);
    try {
      return await ask(block);
    } finally {
      await vm.stateManager.setStateRoot(tip().stateRoot);
    }
  }

  function placeOf(hash: unknown): { block: MinedBlock; mined: MinedTransaction } | undefined {
    for (const block of blocks)
      for (const mined of block.transactions) if (mined.hash === hash) return { block, mined };
    return undefined;
  }

  const methods: Readonly<Record<string, (...params: never[]) => Promise<unknown>>> = {
    eth_chainId: async () => toHex(chainId),
    net_version: async () => String(chainId),
    eth_syncing: async () => false,
    eth_accounts: async () => [],
    eth_blockNumber: async () => toHex(tip().number),
    eth_gasPrice: async () => toHex(baseFee),
    eth_maxPriorityFeePerGas: async () => toHex(1_000_000_000),
    eth_feeHistory: async (count: unknown, _newest: unknown, percentiles: readonly unknown[] = []) => {
      const last = blocks.slice(-Number(count));
      return {
        oldestBlock: toHex(last[0]?.number ?? 0),
        baseFeePerGas: [...last.map((block) => toHex(block.baseFee)), toHex(baseFee)],
        gasUsedRatio: last.map(() => 0),
        reward: last.map(() => percentiles.map(() => toHex(0))),
      };
    },
    eth_getBalance: (address: string, tag: unknown) => at(tag, async () => toHex((await accountOf(address)).balance)),
    eth_getCode: (address: string, tag: unknown) =>
      at(tag, async () => bytesToHex(await vm.stateManager.getCode(createAddressFromString(address)))),
    eth_getStorageAt: (address: string, slot: string, tag: unknown) =>
      at(tag, async () => {
        const key = hexToBytes(toHex(BigInt(slot), { size: 32 }));
        const value = bytesToHex(await vm.stateManager.getStorage(createAddressFromString(address), key));
        return toHex(value === '0x' ? 0n : BigInt(value), { size: 32 });
      }),
    eth_getTransactionCount: (address: string, tag: unknown) =>
      at(tag, async () => {
        const { nonce } = await accountOf(address);
        return toHex(tag === 'pending' ? pool.nextNonce(address, nonce) : nonce);
      }),
    eth_call: (fields: CallFields, tag: unknown) =>
      at(tag, async ({ header }) => (await runCall(state, fields, header)).output),
    eth_estimateGas: (fields: CallFields, tag: unknown) => at(tag, ({ header }) => estimateGas(state, fields, header)),
    eth_sendRawTransaction: (raw: unknown) => pool.add(raw, accountOf),
    eth_getBlockByNumber: async (tag: unknown, full: unknown) => {
      const block = blockOf(tag);
      return block === undefined ? null : blockJson(block, full === true, chainId);
    },
    eth_getBlockByHash: async (hash: unknown, full: unknown) => {
      const block = blocks.find((one) => one.hash === hash);
      return block === undefined ? null : blockJson(block, full === true, chainId);
    },
    eth_getTransactionByHash: async (hash: string) => {
      const place = placeOf(hash);
      if (place !== undefined) return transactionJson(place.mined, chainId, place);
      const waiting = pool.find(hash);
      return waiting === undefined ? null : transactionJson(waiting, chainId, null);
    },
    eth_getTransactionReceipt: async (hash: string) => {
      const place = placeOf(hash);
      return place === undefined ? null : receiptJson(place.block, place.mined);
    },
    eth_getLogs: async (filter: Filter) => logsIn(blocks, filter, tip().number),
  };

  return {
    call(method, ...params) {
      const answer = Object.hasOwn(methods, method)
        ? (methods[method] as (...params: readonly unknown[]) => Promise<unknown>)
        : undefined;
      if (answer === undefined)
        return Promise.reject(new RpcFailure(-32601, `the method ${method} does not exist/is not available`));
      // One after the other: all of them look at one state.
      const turn = lastTurn.then(() => answer(...params));
      lastTurn = turn.catch(() => undefined);
      return turn;
    },
    mine(count) {
      const turn = lastTurn.then(async () => {
        for (let i = 0; i < count; i++) await mineOne();
      });
      lastTurn = turn.catch(() => undefined);
      return turn;
    },
    setBaseFee(wei) {
      baseFee = wei;
    },
  };
}
