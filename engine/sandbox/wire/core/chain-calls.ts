import { toHex } from '../../../domain/hex.ts';
import { scriptOf } from '../../world/bitcoin/address.ts';
import { type Block, blockBytes } from '../../world/bitcoin/block.ts';
import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import { difficultyBits } from '../../world/bitcoin/header.ts';
import { totalOut, type Tx } from '../../world/bitcoin/tx.ts';
import type { CoreCalls } from './calls.ts';
import { bitcoins, chainwork, confirmations, headerJson, scriptJson, txJson } from './json.ts';
import type { Params } from './params.ts';
import { RpcError } from './rpc-error.ts';

const pruned = -1;
const notFound = -5;
const badValue = -8;
const unknownMethod = -32601;

/** Blocks and the coins they left. */
export const chainCalls: CoreCalls = {
  getblockchaininfo({ world, keepsBlocks }) {
    const tip = world.tip();
    const lowest = tip.height - keepsBlocks + 1;
    return {
      chain: 'regtest',
      blocks: tip.height,
      headers: tip.height,
      bestblockhash: tip.hash,
      bits: difficultyBits.toString(16),
      difficulty: headerJson(world, tip)['difficulty'],
      time: tip.time,
      mediantime: tip.mtp,
      verificationprogress: 1,
      initialblockdownload: false,
      chainwork: chainwork(tip.height),
      size_on_disk: 0,
      ...(lowest > 0 ? { pruned: true, pruneheight: lowest, automatic_pruning: true } : { pruned: false }),
      warnings: [],
    };
  },
  getblockcount: ({ world }) => world.tip().height,
  getbestblockhash: ({ world }) => world.tip().hash,
  getblockhash({ world }, params) {
    const block = world.at(params.number(0));
    if (block === undefined) throw new RpcError(badValue, 'Block height out of range');
    return block.hash;
  },
  getblockheader({ world }, params) {
    const block = blockOf(world, params);
    return params.flag(1, true) ? headerJson(world, block) : toHex(block.header);
  },
  getblock({ world, keepsBlocks }, params) {
    const block = blockOf(world, params);
    if (world.tip().height - block.height >= keepsBlocks)
      throw new RpcError(pruned, 'Block not available (pruned data)');
    const verbosity = params.verbosity(1, 1);
    if (verbosity === 0) return toHex(blockBytes(block));
    const { transactions } = block;
    const size = blockBytes(block).length;
    return {
      ...headerJson(world, block),
      size,
      weight: size * 4,
      tx: verbosity === 1 ? transactions.map(({ txid }) => txid) : transactions.map(txJson),
    };
  },
  getblockstats({ world, statistics }, params) {
    if (!statistics) throw new RpcError(unknownMethod, 'Method not found');
    const block = world.at(params.number(0)) ?? throws(new RpcError(badValue, 'Target block height out of range'));
    const rates = block.transactions
      .slice(1)
      .map((tx) => Math.floor(Number(feeOf(world, tx)) / tx.vsize))
      .sort((a, b) => a - b);
    const percentile = (share: number): number => rates[Math.floor(share * rates.length)] ?? 0;
    return {
      feerate_percentiles: [0.1, 0.25, 0.5, 0.75, 0.9].map(percentile),
      height: block.height,
      txs: block.transactions.length,
    };
  },
  getrawtransaction({ world, txindex }, params) {
    const txid = params.hash(0, 'parameter 1');
    const verbose = params.verbosity(1, 0) > 0;
    const named = params.has(2)
      ? (world.byHash(params.hash(2, 'parameter 3')) ?? throws(new RpcError(notFound, 'Block hash not found')))
      : undefined;
    const entry =
      named === undefined
        ? world.transaction(txid)
        : { tx: named.transactions.find((tx) => tx.txid === txid), height: named.height };
    if (entry?.tx === undefined || (named === undefined && !txindex && entry.height !== null)) {
      throw new RpcError(
        notFound,
        `${absence(named !== undefined, txindex)}. Use gettransaction for wallet transactions.`,
      );
    }
    const block = named ?? (entry.height === null ? undefined : world.at(entry.height));
    if (!verbose) return toHex(entry.tx.bytes);
    const place =
      block === undefined
        ? {}
        : {
            blockhash: block.hash,
            confirmations: Math.max(0, confirmations(world, block)),
            time: block.time,
            blocktime: block.time,
          };
    return {
      ...(named === undefined ? {} : { in_active_chain: confirmations(world, named) > 0 }),
      ...txJson(entry.tx),
      ...place,
    };
  },
  gettxout({ world }, params) {
    const outpoint = { txid: params.hash(0, 'txid'), vout: params.number(1) };
    const coin = params.flag(2, true) ? world.coin(outpoint) : world.confirmedCoin(outpoint);
    if (coin === undefined) return null;
    const depth = coin.height === null ? 0 : world.tip().height - coin.height + 1;
    return {
      bestblock: world.tip().hash,
      confirmations: depth,
      value: bitcoins(coin.amount),
      scriptPubKey: scriptJson(coin.script),
      coinbase: coin.coinbase,
    };
  },
  scantxoutset({ world }, params) {
    const action = params.text(0);
    if (action === 'status') return null;
    if (action === 'abort') return false;
    if (action !== 'start') throw new RpcError(badValue, `Invalid action '${action}'`);
    const unspents = params.list(1).flatMap((item) => {
      const { desc, script } = readDescriptor(item);
      return world.confirmedCoinsOf(script).map(({ outpoint, amount, coinbase, height }) => ({
        ...outpoint,
        scriptPubKey: toHex(script),
        desc,
        amount: bitcoins(amount),
        coinbase,
        height,
        blockhash: world.at(height ?? 0)?.hash,
        confirmations: world.tip().height - (height ?? 0) + 1,
      }));
    });
    return {
      success: true,
      txouts: unspents.length,
      height: world.tip().height,
      bestblock: world.tip().hash,
      unspents,
      total_amount: unspents.reduce((sum, { amount }) => sum + amount, 0),
    };
  },
  generatetoaddress({ world }, params) {
    const [count, script] = [params.number(0), scriptOf(params.text(1))];
    if (script === null) throw new RpcError(notFound, 'Error: Invalid address');
    const before = world.tip().height;
    world.mine(count, script);
    return Array.from({ length: count }, (_, i) => world.at(before + 1 + i)?.hash);
  },
};

function absence(inBlock: boolean, txindex: boolean): string {
  if (inBlock) return 'No such transaction found in the provided block';
  return txindex
    ? 'No such mempool or blockchain transaction'
    : 'No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries';
}

function blockOf(world: BitcoinWorld, params: Params): Block {
  const block = world.byHash(params.hash(0, 'blockhash'));
  if (block === undefined) throw new RpcError(notFound, 'Block not found');
  return block;
}

/** Output descriptors of one fixed script: `raw(hex)` and `addr(address)`, with or without their checksum. */
function readDescriptor(item: unknown): { desc: string; script: Uint8Array } {
  const desc = typeof item === 'object' && item !== null && 'desc' in item ? item.desc : item;
  const [, kind, content] = /^(raw|addr)\(([0-9a-zA-Z]+)\)(?:#[0-9a-z]{8})?$/.exec(String(desc)) ?? [];
  const script =
    content === undefined ? null : kind === 'addr' ? scriptOf(content) : Uint8Array.from(Buffer.from(content, 'hex'));
  if (script === null) throw new RpcError(notFound, `'${String(desc)}' is not a valid descriptor function`);
  return { desc: String(desc), script };
}

/** What it spends may be known to nobody: then it pays nothing. */
function feeOf(world: BitcoinWorld, tx: Tx): bigint {
  const spent = tx.inputs.map(({ spends }) => world.transaction(spends.txid)?.tx.outputs[spends.vout]?.amount);
  return spent.some((amount) => amount === undefined)
    ? 0n
    : spent.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n) - totalOut(tx);
}

function throws(error: Error): never {
  throw error;
}
