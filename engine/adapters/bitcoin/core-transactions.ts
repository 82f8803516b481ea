import { fromHex } from '../../domain/hex.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { ChainTx } from '../../legs/onchain/port.ts';
import { type CoreChain, isHash, nonsense } from './core-chain.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';

const noSuchTransaction = -5;

/** btcd, for an output number that a transaction does not have. */
const noOutput = -5;

/** What the node itself finds: the mempool, and the whole chain where it keeps an index of transactions. */
export async function indexedTransaction(rpc: CoreRpc, chain: CoreChain, txid: Txid): Promise<ChainTx | null> {
  let answer: { hex?: unknown; blockhash?: unknown };
  try {
    answer = (await rpc.call('getrawtransaction', [txid, 1])) as typeof answer;
  } catch (cause) {
    if (cause instanceof RpcRefusal && cause.code === noSuchTransaction) return null;
    throw cause;
  }
  if (typeof answer.hex !== 'string') throw nonsense(rpc, 'getrawtransaction with no transaction');
  const bytes = fromHex(answer.hex);
  if (answer.blockhash === undefined) return { bytes, height: null };
  const height = isHash(answer.blockhash) ? await chain.heightOf(answer.blockhash) : null;
  // Known from a side branch alone: neither on the best chain nor in the mempool.
  return height === null ? null : { bytes, height };
}

/** Outputs by which a transaction without an index is looked for: change and deposits are among the first. */
const firstOutputs = [0, 1, 2, 3];

/**
 * What a node without an index has of a transaction in a block, while one of its first outputs is unspent: the coin
 * says how deep it lies, and its block has the rest.
 */
export async function unspentTransaction(rpc: CoreRpc, chain: CoreChain, txid: Txid): Promise<ChainTx | null> {
  const coins = await rpc.batch(
    'gettxout',
    firstOutputs.map((vout) => [txid, vout, false]),
  );
  for (const coin of coins) {
    const { bestblock, confirmations } = (coin ?? {}) as { bestblock?: unknown; confirmations?: unknown };
    const tip = isHash(bestblock) ? await chain.heightOf(bestblock) : null;
    if (tip === null || typeof confirmations !== 'number' || confirmations < 1) continue;
    const height = tip - confirmations + 1;
    const bytes = await bytesIn(rpc, txid, await chain.hashAt(height));
    if (bytes !== null) return { bytes, height };
  }
  return null;
}

/** Null where the node does not show the block (any more). */
async function bytesIn(rpc: CoreRpc, txid: Txid, block: string | null): Promise<Uint8Array | null> {
  if (block === null) return null;
  try {
    const hex = await rpc.call('getrawtransaction', [txid, 0, block]);
    return typeof hex === 'string' ? fromHex(hex) : null;
  } catch (cause) {
    if (cause instanceof RpcRefusal) return null;
    throw cause;
  }
}

export async function inMempool(rpc: CoreRpc, txid: Txid): Promise<boolean> {
  try {
    return ((await rpc.call('getrawtransaction', [txid, 1])) as { blockhash?: unknown }).blockhash === undefined;
  } catch (cause) {
    if (cause instanceof RpcRefusal && cause.code === noSuchTransaction) return false;
    throw cause;
  }
}

/** On the best chain; what the mempool does to it is not asked. */
export async function isUnspent(rpc: CoreRpc, { txid, vout }: Outpoint): Promise<boolean> {
  try {
    return (await rpc.call('gettxout', [txid, vout, false])) !== null;
  } catch (cause) {
    if (cause instanceof RpcRefusal && cause.code === noOutput) return false; // btcd, for an output that there is not
    throw cause;
  }
}
