import { ChainTxType, type IndexerProvider, type VirtualCoin } from '@arkade-os/sdk';
import { sameBytes } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import { sats, type Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { unix } from '../../domain/time.ts';
import type { BatchPayout } from '../../legs/arkade/batch.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { mostRefundCoins } from '../../legs/arkade/refund-size.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { Operator } from './operator.ts';

/** Of a coin that the operator gave no expiry. */
const never = unix(0xffff_ffff);

function toVtxo(coin: VirtualCoin, now: Unix): Vtxo {
  // A height in the place of a time is a block-typed operator's number of seconds, long past.
  const expiresAt = coin.expiresAt
    ? unix(Math.floor(coin.expiresAt.getTime() / 1000))
    : coin.expiresAtHeight === undefined
      ? never
      : unix(coin.expiresAtHeight);
  const [batch, ...others] = coin.isPreconfirmed === true ? [] : (coin.commitmentTxIds ?? []);
  return {
    outpoint: { txid: coin.txid, vout: coin.vout },
    script: fromHex(coin.script),
    amount: sats(coin.value),
    createdAt: unix(Math.floor(coin.createdAt.getTime() / 1000)),
    expiresAt,
    recoverable: coin.isSwept === true || expiresAt <= now,
    unrolled: coin.isUnrolled,
    ...(coin.isPreconfirmed === true ? { preconfirmed: true as const } : {}),
    ...(batch === undefined || others.length > 0 ? {} : { batch }),
    spent: coin.isSpent === true,
    spentIn: coin.arkTxId || null,
    spentBy: coin.spentBy || null,
    settledBy: coin.settledBy || null,
  };
}

/** Scripts or outpoints in one request: about 5 kB of query. */
const perRequest = 64;

function chunks<T>(items: readonly T[]): T[][] {
  const out: T[][] = [];
  for (let at = 0; at < items.length; at += perRequest) out.push(items.slice(at, at + perRequest));
  return out;
}

export async function coinsAtScripts(
  operator: Operator,
  scripts: readonly Uint8Array[],
  now: Unix,
  only: 'all' | 'unspent' = 'all',
): Promise<Vtxo[]> {
  const distinct = [...new Set(scripts.map(toHex))];
  const answers = await Promise.all(
    chunks(distinct).map((part) =>
      operator.read('coins', (indexer) =>
        indexer.getVtxos({ scripts: part, ...(only === 'unspent' ? { renewableOnly: true } : {}) }),
      ),
    ),
  );
  return answers.flatMap(({ vtxos }) => vtxos.map((coin) => toVtxo(coin, now)));
}

export async function coinsAtOutpoints(operator: Operator, points: readonly Outpoint[], now: Unix): Promise<Vtxo[]> {
  const answers = await Promise.all(
    chunks(points).map((part) =>
      operator.read('coins', (indexer) =>
        indexer.getVtxos({ outpoints: part.map(({ txid, vout }) => ({ txid, vout })) }),
      ),
    ),
  );
  return answers.flatMap(({ vtxos }) => vtxos.map((coin) => toVtxo(coin, now)));
}

/**
 * Of the coins that a refund names those at its script, by their names: what a stranger pays to the script beside them
 * keeps no refund from being signed (facts/faults.md 95). One that names more than are signed at once is refused
 * whatever they are.
 */
export async function refundCoins(
  operator: Operator,
  named: readonly Outpoint[],
  { script, now }: { readonly script: Uint8Array; readonly now: Unix },
): Promise<Vtxo[]> {
  const coins = await coinsAtOutpoints(operator, named.slice(0, mostRefundCoins), now);
  return coins.filter((coin) => sameBytes(coin.script, script));
}

/** Coins in one page of the list of spent ones, and pages at most: half a million coins. */
const pageSize = 500;
const mostPages = 1_000;

/**
 * Coins at the scripts that lie on the chain and that nothing spent at the operator: it lists them among all spent
 * ones.
 */
export async function strandedAt(operator: Operator, scripts: readonly Uint8Array[], now: Unix): Promise<Vtxo[]> {
  const stranded: Vtxo[] = [];
  for (const part of chunks(scripts.map(toHex))) {
    for (let pageIndex = 0; pageIndex < mostPages; pageIndex++) {
      const { vtxos } = await operator.read('coins', (indexer) =>
        indexer.getVtxos({ scripts: part, spentOnly: true, pageIndex, pageSize }),
      );
      stranded.push(
        ...vtxos.filter((coin) => coin.isUnrolled && coin.isSpent !== true).map((coin) => toVtxo(coin, now)),
      );
      if (vtxos.length < pageSize) break;
    }
  }
  return stranded;
}

/**
 * A coin by which a batch has paid exactly one of these payouts, or null: a commitment alone does not say whose intents
 * it served.
 */
export async function paidByBatch(
  operator: Operator,
  batch: Txid,
  payouts: readonly BatchPayout[],
  isFree: (paid: Outpoint) => boolean,
): Promise<{ readonly paid: Outpoint; readonly amount: Sats } | null> {
  const scripts = [...new Set(payouts.map(({ script }) => toHex(script)))];
  const { vtxos } = await operator.read('coins', (indexer) => indexer.getVtxos({ scripts }));
  const coin = vtxos.find(
    ({ script, value, txid, vout, createdAt, isPreconfirmed, commitmentTxIds }) =>
      isPreconfirmed !== true &&
      commitmentTxIds?.includes(batch) === true &&
      payouts.some(
        ({ until, ...payout }) =>
          payout.amount === BigInt(value) &&
          toHex(payout.script) === script &&
          (until === undefined || createdAt.getTime() / 1_000 <= until),
      ) &&
      isFree({ txid, vout }),
  );
  return coin === undefined ? null : { paid: { txid: coin.txid, vout: coin.vout }, amount: sats(coin.value) };
}

export async function virtualTxTexts(operator: Operator, txids: readonly Txid[]): Promise<string[]> {
  const read = (part: string[]): Promise<string[]> =>
    operator.read('transactions', async (indexer: IndexerProvider) => (await indexer.getVirtualTxs(part)).txs);
  return (await Promise.all(chunks([...new Set(txids)]).map(read))).flat();
}

/** Transactions between the chain and a coin that are read at most: a longer list is none to be believed. */
const mostBelow = 1_000;

/** The ids of what a coin hangs on, its own transaction included, without the commitments. */
export async function txidsBelow(operator: Operator, { txid, vout }: Outpoint): Promise<Txid[]> {
  const { chain } = await operator.read('what a coin hangs on', (indexer) => indexer.getVtxoChain({ txid, vout }));
  if (chain.length > 2 * mostBelow)
    throw arkadeFailure('refused', 'safe', `the operator says that a coin hangs on ${chain.length} transactions`);
  return chain.filter(({ type }) => type !== ChainTxType.COMMITMENT).map((row) => row.txid);
}
