import { bytesToHex } from '@ethereumjs/util';
import { type Hex, toHex } from 'viem';
import type { MinedBlock, MinedTransaction } from './chain.ts';
import { type Waiting, pricesOf } from './pool.ts';

type Json = Readonly<Record<string, unknown>>;
interface Place {
  readonly block: MinedBlock;
  readonly mined: MinedTransaction;
}

export function blockJson(block: MinedBlock, full: boolean, chainId: number): Json {
  const { number, hash, parentHash, timestamp, baseFee, transactions, stateRoot } = block;
  return {
    ...{ number: toHex(number), hash, parentHash, timestamp: toHex(timestamp), baseFeePerGas: toHex(baseFee) },
    ...{ gasLimit: toHex(30_000_000), gasUsed: toHex(transactions.at(-1)?.cumulativeGas ?? 0n) },
    ...{ stateRoot: bytesToHex(stateRoot), miner: `0x${'00'.repeat(20)}`, difficulty: '0x0', uncles: [] },
    transactions: transactions.map((mined) => (full ? transactionJson(mined, chainId, { block, mined }) : mined.hash)),
  };
}

export function transactionJson({ tx, hash, sender }: Waiting, chainId: number, place: Place | null): Json {
  const { most, tip } = pricesOf(tx);
  return {
    ...{ hash, from: sender, to: tx.to?.toString() ?? null, nonce: toHex(tx.nonce), value: toHex(tx.value) },
    ...{ gas: toHex(tx.gasLimit), input: bytesToHex(tx.data), type: toHex(tx.type), chainId: toHex(chainId) },
    gasPrice: toHex(place?.mined.price ?? most),
    ...(tx.type === 2 ? { maxFeePerGas: toHex(most), maxPriorityFeePerGas: toHex(tip) } : {}),
    blockHash: place?.block.hash ?? null,
    blockNumber: place === null ? null : toHex(place.block.number),
    transactionIndex: place === null ? null : toHex(place.mined.index),
  };
}

export function receiptJson(block: MinedBlock, mined: MinedTransaction): Json {
  const { tx, hash, sender, index, succeeded, gasUsed, cumulativeGas, price } = mined;
  return {
    ...{
      transactionHash: hash,
      transactionIndex: toHex(index),
      blockHash: block.hash,
      blockNumber: toHex(block.number),
    },
    ...{ from: sender, to: tx.to?.toString() ?? null, type: toHex(tx.type), contractAddress: null },
    ...{ status: succeeded ? '0x1' : '0x0', gasUsed: toHex(gasUsed), cumulativeGasUsed: toHex(cumulativeGas) },
    effectiveGasPrice: toHex(price),
    logs: logsOf(block).filter((log) => log['transactionHash'] === hash),
  };
}

/** Every log of a block, numbered through. */
function logsOf(block: MinedBlock): Json[] {
  const logs = block.transactions.flatMap(({ hash, index, logs: own }) => own.map((log) => ({ hash, index, log })));
  return logs.map(({ hash, index, log }, i) => ({
    ...log,
    ...{ blockHash: block.hash, blockNumber: toHex(block.number), transactionHash: hash },
    ...{ transactionIndex: toHex(index), logIndex: toHex(i), removed: false },
  }));
}

export interface Filter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: Hex;
  readonly address?: Hex | readonly Hex[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

export function logsIn(blocks: readonly MinedBlock[], filter: Filter, tip: number): Json[] {
  const heightOf = (tag = 'latest'): number => (tag === 'earliest' ? 0 : tag.startsWith('0x') ? Number(tag) : tip);
  const isMeant = ({ number, hash }: MinedBlock): boolean =>
    filter.blockHash === undefined
      ? number >= heightOf(filter.fromBlock) && number <= heightOf(filter.toBlock)
      : hash === filter.blockHash;
  const isOneOf = (value: unknown, filtered: unknown): boolean =>
    filtered === undefined ||
    filtered === null ||
    [filtered].flat().some((one) => String(one).toLowerCase() === String(value).toLowerCase());
  return blocks
    .filter(isMeant)
    .flatMap(logsOf)
    .filter((log) => {
      const topics = log['topics'] as readonly Hex[];
      return (
        isOneOf(log['address'], filter.address) && (filter.topics ?? []).every((one, i) => isOneOf(topics[i], one))
      );
    });
}
