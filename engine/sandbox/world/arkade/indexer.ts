import type { BatchBook, BatchRecord, TreeRow } from './batches.ts';
import { type Coin, recoverable } from './coins.ts';
import { badRequest, OperatorError } from './errors.ts';
import { outpointOf, parsePsbt } from './psbt.ts';
import type { OperatorState } from './state.ts';

export type CoinFilter = 'spendable' | 'spent' | 'recoverable' | 'pending' | 'renewable';

export interface CoinQuery {
  readonly scripts?: readonly string[];
  /** `txid:vout` each. */
  readonly outpoints?: readonly string[];
  readonly filter?: CoinFilter;
  /** Milliseconds. */
  readonly after?: number;
  readonly before?: number;
}

export interface ChainRow {
  readonly txid: string;
  readonly expiresAt: string;
  readonly type:
    | 'INDEXER_CHAINED_TX_TYPE_COMMITMENT'
    | 'INDEXER_CHAINED_TX_TYPE_ARK'
    | 'INDEXER_CHAINED_TX_TYPE_TREE'
    | 'INDEXER_CHAINED_TX_TYPE_CHECKPOINT';
  readonly spends: readonly string[];
}

export interface Indexer {
  coins(query: CoinQuery): Coin[];
  virtualTxs(txids: readonly string[]): string[];
  chain(txid: string, vout: number): ChainRow[];
  tree(commitmentTxid: string): readonly TreeRow[];
  leaves(commitmentTxid: string): BatchRecord['leaves'];
  connectors(commitmentTxid: string): readonly TreeRow[];
  forfeitTxids(commitmentTxid: string): readonly string[];
  sweepTxids(commitmentTxid: string): readonly string[];
  commitment(txid: string): BatchRecord;
}

export function openIndexer(state: OperatorState, batches: BatchBook): Indexer {
  return {
    coins: (query) => findCoins(state, query),
    virtualTxs: (txids) => txids.flatMap((txid) => state.txs.virtual(txid) ?? []),
    chain: (txid, vout) => chainOf(state, txid, vout),
    tree: (txid) => batches.get(txid)?.tree ?? [],
    leaves: (txid) => batches.get(txid)?.leaves ?? [],
    connectors: (txid) => batches.get(txid)?.connectors ?? [],
    forfeitTxids: (txid) => batches.get(txid)?.forfeitTxids ?? [],
    sweepTxids: (txid) => batches.get(txid)?.sweptBy ?? [],
    commitment(txid) {
      const record = batches.get(txid);
      if (record === undefined) throw new OperatorError(13, 'batch not found');
      return record;
    },
  };
}

function findCoins(state: OperatorState, query: CoinQuery): Coin[] {
  const { scripts = [], outpoints = [], filter, after = 0, before = 0 } = query;
  if (scripts.length > 0 && outpoints.length > 0)
    throw badRequest('outpoints and scripts filters are mutually exclusive');
  if (scripts.length === 0 && outpoints.length === 0) throw badRequest('missing outpoints or scripts filter');
  if (outpoints.length > 0) {
    if (outpoints.some((key) => !/^[0-9a-f]{64}:\d+$/.test(key))) throw badRequest('invalid outpoint format');
    return outpoints.flatMap((key) => state.coins.get(key) ?? []);
  }
  if (scripts.some((script) => script === '' || !/^([0-9a-f]{2})+$/i.test(script)))
    throw badRequest('invalid script format, must be hex');
  const coins = [...new Set(scripts)].flatMap((script) => state.coins.byScript(script));
  return coins
    .filter((coin) => matches(state, coin, filter))
    .filter(
      (coin) => (after === 0 || coin.createdAt * 1_000 >= after) && (before === 0 || coin.createdAt * 1_000 <= before),
    )
    .sort((a, b) => b.createdAt - a.createdAt);
}

function matches(state: OperatorState, coin: Coin, filter: CoinFilter | undefined): boolean {
  switch (filter) {
    case undefined:
      return true;
    case 'spendable':
      return !coin.spent && !coin.swept && !coin.unrolled;
    case 'spent':
      return coin.spent || coin.swept || coin.unrolled;
    case 'recoverable':
      return !coin.spent && !coin.unrolled && recoverable(coin, state.clock.now());
    case 'renewable':
      return !coin.spent && !coin.unrolled;
    case 'pending':
      return (
        coin.spent && coin.settledBy === '' && coin.arkTxid !== '' && state.coins.byTxid(coin.arkTxid).length === 0
      );
  }
}

/** From the coin back to the commitment transactions that it hangs on. */
function chainOf(state: OperatorState, txid: string, vout: number): ChainRow[] {
  if (!/^[0-9a-f]{64}$/.test(txid)) throw badRequest('invalid txid format');
  const key = `${txid}:${vout}`;
  const coin = state.coins.get(key);
  if (coin === undefined) throw new OperatorError(13, `vtxo not found for outpoint: [${key}]`);
  const rows = new Map<string, ChainRow>();
  const waiting = [coin];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (rows.has(next.txid)) continue;
    const expiresAt = String(next.expiresAt);
    const ark = state.txs.get(next.txid);
    if (ark === undefined) {
      addBatchPath(state, rows, next, expiresAt);
      continue;
    }
    rows.set(ark.txid, {
      txid: ark.txid,
      expiresAt,
      type: 'INDEXER_CHAINED_TX_TYPE_ARK',
      spends: ark.checkpoints.map((each) => each.txid),
    });
    for (const checkpoint of ark.checkpoints) {
      rows.set(checkpoint.txid, {
        txid: checkpoint.txid,
        expiresAt,
        type: 'INDEXER_CHAINED_TX_TYPE_CHECKPOINT',
        spends: [checkpoint.spends],
      });
      const parent = state.coins.get(checkpoint.spends);
      if (parent !== undefined) waiting.push(parent);
    }
  }
  return [...rows.values()];
}

function addBatchPath(state: OperatorState, rows: Map<string, ChainRow>, coin: Coin, expiresAt: string): void {
  const [commitment = coin.txid] = coin.commitmentTxids;
  for (let txid = coin.txid; txid !== commitment;) {
    const psbt = state.txs.virtual(txid);
    const parent = psbt === undefined ? commitment : (outpointOf(parsePsbt(psbt), 0)?.txid ?? commitment);
    rows.set(txid, { txid, expiresAt, type: 'INDEXER_CHAINED_TX_TYPE_TREE', spends: [parent] });
    txid = parent;
  }
  rows.set(commitment, { txid: commitment, expiresAt, type: 'INDEXER_CHAINED_TX_TYPE_COMMITMENT', spends: [] });
}

export interface Page {
  readonly current: number;
  readonly next: number;
  readonly total: number;
}

/** Cuts a list as arkd does: pages count from 1, index 0 is page 1. Without a page asked for, everything and null. */
export function paged<T>(
  rows: readonly T[],
  requestedPage: { readonly index: number; readonly size: number } | null,
): { rows: readonly T[]; page: Page | null } {
  if (requestedPage === null) return { rows, page: null };
  const size = requestedPage.size > 0 ? requestedPage.size : Math.max(rows.length, 1);
  const current = Math.max(requestedPage.index, 1);
  const total = Math.ceil(rows.length / size);
  const part = rows.slice((current - 1) * size, current * size);
  return { rows: part, page: { current, next: Math.min(current + 1, total), total } };
}
