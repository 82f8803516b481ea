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
