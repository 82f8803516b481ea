import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import type { ChainSpend } from '../../legs/onchain/port.ts';
import { type CoreChain, isHash, nonsense } from './core-chain.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';

/** Core 31 and later with `-txospenderindex`, while that index is behind the chain. */
const indexBehind = -1;

/** What a node says spends an outpoint. */
interface CoreSpender {
  readonly txid: Txid;
  /** The block that holds it, told by a node with an index of spends alone; null in the mempool. */
  readonly block: string | null;
}

interface Row {
  readonly txid?: unknown;
  readonly vout?: unknown;
  readonly spendingtxid?: unknown;
  readonly blockhash?: unknown;
}

/**
 * Who spends these, in their order; null where the node names nobody. A node with an index of spends names those that
 * are mined as well, and gives its rows in an order of its own. `gettxout` of btcd tells nothing of its mempool, so
 * this is asked of every node.
 */
export async function spendersOf(rpc: CoreRpc, points: readonly Outpoint[]): Promise<(CoreSpender | null)[]> {
  if (points.length === 0) return [];
  const rows = await rowsOf(rpc, points);
  if (!Array.isArray(rows)) throw nonsense(rpc, 'gettxspendingprevout with no list');
  const byPoint = new Map(rows.map((row: Row) => [`${String(row.txid)}:${String(row.vout)}`, row]));
  return points.map((point) => {
    const row = byPoint.get(outpointKey(point));
    if (row === undefined) throw nonsense(rpc, 'gettxspendingprevout without a row for each outpoint');
    const { spendingtxid: txid, blockhash } = row;
    return isHash(txid) ? { txid, block: isHash(blockhash) ? blockhash : null } : null;
  });
}

async function rowsOf(rpc: CoreRpc, points: readonly Outpoint[]): Promise<unknown> {
  const outpoints = points.map(({ txid, vout }) => ({ txid, vout }));
  try {
    return await rpc.call('gettxspendingprevout', [outpoints]);
  } catch (cause) {
    if (!(cause instanceof RpcRefusal) || cause.code !== indexBehind) throw cause;
    // The mempool alone is never behind; an older node knows no such option, and has no such index either.
    return rpc.call('gettxspendingprevout', [outpoints, { mempool_only: true }]);
  }
}

/** What the node names; nothing where the block that it names is off the best chain meanwhile. */
export async function spendBy(
  chain: Pick<CoreChain, 'heightOf'>,
  spender: CoreSpender | null,
): Promise<ChainSpend | null> {
  if (spender === null) return null;
  const { txid, block } = spender;
  if (block === null) return { txid, height: null };
  const height = await chain.heightOf(block);
  return height === null ? null : { txid, height };
}
