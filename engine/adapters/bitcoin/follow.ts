import { setImmediate as nextTurn } from 'node:timers/promises';
import { PortFailure } from '../../domain/errors.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { outpointKey, type Txid } from '../../domain/outpoint.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import { type CoreChain, isHash } from './core-chain.ts';
import { medianOf } from './headers.ts';
import type { CoreRpc } from './json-rpc.ts';
import type { RawTransaction } from '../../legs/raw-tx.ts';
import { readBlock, readTransaction } from './raw.ts';

/** A transaction that touches something watched. */
export interface FollowedTx {
  readonly transaction: RawTransaction;
  readonly bytes: Uint8Array;
  /** Null while it waits in the mempool. */
  readonly height: number | null;
}

/** What is looked for in blocks and mempool: payments to scripts, spends of outpoints, transactions by id. */
export interface Watched {
  readonly scripts: ReadonlySet<string>;
  readonly points: ReadonlySet<string>;
  readonly txids: ReadonlySet<Txid>;
}

/** One look at the chain; everything it learnt is in `found`. */
export interface Follower {
  readonly transactions: ReadonlyMap<Txid, FollowedTx>;
  /** The block up to which everything watched has been looked for; null before the first look. */
  readonly height: number | null;
  watch(what: { scripts?: readonly string[]; points?: readonly string[]; txids?: readonly Txid[] }): void;
  /** Reads the blocks since the last look and what is new in the mempool. */
  advance(): Promise<void>;
  /** Reads the blocks alone: the list of a full mempool is megabytes. */
  readBlocks(): Promise<void>;
  /**
   * Looks for these alone in the blocks from `to` down to `from`, ahead of what `advance` follows. Answers the lowest
   * height it read: higher than `from` where the node keeps no older blocks.
   */
  lookBack(what: Watched, to: number, from: number): Promise<number>;
}

/** How deep a reorganisation can be followed; beyond it everything is looked for anew. */
const remembered = 200;
/** Transactions of the mempool fetched with one request, and in one look: the rest comes with the next looks. */
const perBatch = 100;
const perLook = 2_000;
/** Ids of the mempool that are compared before the event loop turns. */
const perTurn = 10_000;
/** A block is megabytes of text. */
const blockLimitMs = 60_000;
/**
 * Blocks fetched with one request on the way back: up to 8 MB of text each, and more of them while they are small
 * together, in bytes.
 */
const atOnce = { least: 4, most: 32, small: 500_000 } as const;

/** How far the chain was followed, and with what. */
interface Following {
  readonly rpc: CoreRpc;
  readonly chain: CoreChain;
  readonly onReorg: (fork: number) => void;
  readonly watched: { scripts: Set<string>; points: Set<string>; txids: Set<string> };
  readonly transactions: Map<string, FollowedTx>;
  /** The last blocks that were applied, by height. */
  readonly applied: Map<number, string>;
  /** Ids of the mempool that were looked at. */
  pool: Set<string>;
  top: { readonly height: number; readonly hash: string } | null;
}

/**
 * Follows the best chain block by block, so that a node without any index can tell what happened to a few scripts and
 * coins. Transactions that were found are kept; blocks are read once and forgotten.
 */
export function followChain(rpc: CoreRpc, chain: CoreChain, onReorg: (fork: number) => void): Follower {
  const watched = { scripts: new Set<string>(), points: new Set<string>(), txids: new Set<Txid>() };
  const transactions = new Map<Txid, FollowedTx>();
  const own: Following = { rpc, chain, onReorg, watched, transactions, applied: new Map(), pool: new Set(), top: null };

  return {
    transactions,
    get height() {
      return own.top?.height ?? null;
    },
    watch({ scripts = [], points = [], txids = [] }) {
      const before = watched.scripts.size + watched.points.size + watched.txids.size;
      for (const script of scripts) watched.scripts.add(script);
      for (const point of points) watched.points.add(point);
      for (const txid of txids) watched.txids.add(txid);
      // A small mempool is read again for something new; in a large one what waits already is found when it is mined.
      if (watched.scripts.size + watched.points.size + watched.txids.size > before && own.pool.size <= perLook)
        own.pool = new Set();
    },
    async advance() {
      await blocksSince(own);
      await mempool(own);
    },
    readBlocks: () => blocksSince(own),
    async lookBack(what, to, from) {
      let lowest = to + 1;
      let count: number = atOnce.least;
      while (lowest > from) {
        const heights = Array.from({ length: Math.min(count, lowest - from) }, (_, i) => lowest - 1 - i);
        const blocks = await blocksAt(own, heights).catch((cause: unknown) => {
          // Large ones after small ones: together they are more than one answer may be.
          if (cause instanceof PortFailure && heights.length > atOnce.least) return null;
          throw cause;
        });
        if (blocks === null) {
          count = atOnce.least;
          continue;
        }
        for (const block of blocks) {
          if (block === null) return lowest;
          lowest -= 1;
          apply(own, block, lowest, what);
        }
        const bytes = blocks
          .flatMap((block) => block ?? [])
          .reduce((sum, transaction) => sum + transaction.bytes.length, 0);
        count = bytes < atOnce.small ? Math.min(atOnce.most, count * 2) : atOnce.least;
      }
      return lowest;
    },
  };
}

async function blockOf({ rpc }: Following, hash: string): Promise<RawTransaction[]> {
  const raw = await rpc.call('getblock', [hash, 0], blockLimitMs);
  if (typeof raw !== 'string')
    throw onchainFailure('bitcoin-away', 'safe', `The Bitcoin node ${rpc.name} answered getblock with no block.`);
  return readBlock(fromHex(raw));
}

/** Null for a block that the node does not keep (any more). */
async function blocksAt({ rpc }: Following, heights: readonly number[]): Promise<(RawTransaction[] | null)[]> {
  const hashes = await rpc.batch(
    'getblockhash',
    heights.map((height) => [height]),
  );
  const blockHashes = hashes.filter(isHash);
  const blocks = await rpc.batch(
    'getblock',
    blockHashes.map((hash) => [hash, 0]),
  );
  return heights.map((_, i) => {
    const raw = i < blockHashes.length ? blocks[i] : null;
    return typeof raw === 'string' ? readBlock(fromHex(raw)) : null;
  });
}

function touches(transaction: RawTransaction, what: Watched): boolean {
  if (what.points.size > 0 && transaction.inputs.some((input) => what.points.has(outpointKey(input)))) return true;
  if (what.scripts.size > 0 && transaction.outputs.some(({ script }) => what.scripts.has(toHex(script)))) return true;
  return what.txids.size > 0 && what.txids.has(transaction.txid);
}

/** A copy: the bytes of a whole block would stay in memory for one transaction of it. */
function keep({ watched, transactions }: Following, transaction: RawTransaction, height: number | null): void {
  const bytes = transaction.bytes.slice();
  const copy = readTransaction(bytes);
  transactions.set(copy.txid, { transaction: copy, bytes, height });
  // What pays one of our scripts will be spent some day.
  copy.outputs.forEach(({ script }, vout) => {
    if (watched.scripts.has(toHex(script))) watched.points.add(outpointKey({ txid: copy.txid, vout }));
  });
}

function apply(own: Following, transactions: readonly RawTransaction[], height: number, what: Watched): void {
  for (const transaction of transactions) if (touches(transaction, what)) keep(own, transaction, height);
}

/** From the tip down to the first block that was applied already; null when there is none within reach. */
async function branchTo(
  own: Following,
  tip: { hash: string; height: number },
): Promise<{ fork: number; blocks: string[] } | null> {
  const { chain, applied } = own;
  const blocks: string[] = [];
  let { hash, height } = tip;
  while (applied.get(height) !== hash) {
    if (height === 0 || (own.top !== null && height < own.top.height - remembered)) return null;
    blocks.push(hash);
    hash = (await chain.header(hash)).previous;
    height -= 1;
  }
  return { fork: height, blocks: blocks.reverse() };
}

function undoAbove(own: Following, fork: number): void {
  const { onReorg, transactions, applied } = own;
  for (const [txid, { height }] of transactions) if (height !== null && height > fork) transactions.delete(txid);
  for (const height of applied.keys()) if (height > fork) applied.delete(height);
  // What was undone may wait again: the whole mempool counts as unread.
  own.pool = new Set();
  onReorg(fork);
}

/** The headers that the median was read from: a small reorganisation after the first look is followed. */
async function remember({ chain, applied }: Following, tip: { hash: string; height: number }): Promise<void> {
  for (let { hash, height } = tip; height > 0 && height > tip.height - medianOf; height--) {
    applied.set(height, hash);
    hash = (await chain.header(hash)).previous;
  }
}

async function blocksSince(own: Following): Promise<void> {
  const { chain, watched, transactions, applied } = own;
  const tip = await chain.tip();
  if (own.top?.hash === tip.hash) return;
  const branch = own.top === null ? null : await branchTo(own, tip);
  if (branch === null) {
    // The first look, or a chain that shares nothing with the one that was followed: whoever watches looks back anew.
    undoAbove(own, -1);
    transactions.clear();
    await remember(own, tip);
    own.top = tip;
    return;
  }
  if (own.top !== null && branch.fork < own.top.height) undoAbove(own, branch.fork);
  own.top = { height: branch.fork, hash: applied.get(branch.fork) ?? tip.hash };
  for (const [i, hash] of branch.blocks.entries()) {
    const height = branch.fork + 1 + i;
    apply(own, await blockOf(own, hash), height, watched);
    applied.set(height, hash);
    applied.delete(height - remembered);
    own.top = { height, hash };
  }
}

/**
 * Ids of the mempool that were not looked at yet, as many as one look takes; forgets those that left it. In pieces: a
 * hundred thousand in one go would hold up all else.
 */
async function newTo(own: Following, ids: readonly Txid[]): Promise<Txid[]> {
  const { transactions, pool } = own;
  const left = new Set([...transactions].flatMap(([txid, { height }]) => (height === null ? [txid] : [])));
  const still = new Set<Txid>();
  const fresh: Txid[] = [];
  for (const [i, txid] of ids.entries()) {
    if (i > 0 && i % perTurn === 0) await nextTurn();
    left.delete(txid);
    if (pool.has(txid)) still.add(txid);
    else if (fresh.length < perLook) fresh.push(txid);
  }
  for (const txid of left) if (transactions.get(txid)?.height === null) transactions.delete(txid);
  // Another one where something new is watched meanwhile: all of the mempool counts as unread then.
  if (own.pool === pool) own.pool = still;
  return fresh;
}

async function mempool(own: Following): Promise<void> {
  const { rpc, watched, transactions } = own;
  const ids = await rpc.call('getrawmempool');
  if (!Array.isArray(ids))
    throw onchainFailure('bitcoin-away', 'safe', `The Bitcoin node ${rpc.name} answered getrawmempool with no list.`);
  const fresh = await newTo(own, ids as Txid[]);
  for (let i = 0; i < fresh.length; i += perBatch) {
    const part = fresh.slice(i, i + perBatch);
    const answers = await rpc.batch(
      'getrawtransaction',
      part.map((txid) => [txid, 0]),
    );
    for (const [j, raw] of answers.entries()) {
      const txid = part[j] ?? '';
      // Mined or replaced since it was listed: the next look at the blocks tells.
      if (typeof raw !== 'string') continue;
      own.pool.add(txid);
      if (transactions.has(txid)) continue;
      const transaction = readTransaction(fromHex(raw));
      if (touches(transaction, watched)) keep(own, transaction, null);
    }
  }
}
