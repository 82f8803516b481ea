import { networkOfGenesis } from '../../domain/chain.ts';
import { fromHex } from '../../domain/hex.ts';
import { isHash } from './core-chain.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';
import { paidOut, type RawTransaction } from '../../legs/raw-tx.ts';
import { readBlock, readTransaction } from './raw.ts';

/**
 * What nine tenths of each block's weight paid at least, in sats per virtual byte. Of a node that keeps no such
 * statistics (btcd) it is the middle of what the last transactions of the block paid, for a block begins with those
 * that pay most; and without an index of transactions what the block paid in the mean, which is more. Null for a block
 * without transactions, and for one that the node has not any more.
 */
export async function coreBlockRates(rpc: CoreRpc, heights: readonly number[]): Promise<(number | null)[]> {
  const answers = await rpc.batch(
    'getblockstats',
    heights.map((height) => [height, ['feerate_percentiles', 'txs']]),
  );
  const rates: (number | null)[] = [];
  // One block at a time: they are large.
  for (const [i, height] of heights.entries())
    rates.push(answers[i] instanceof RpcRefusal ? await readRate(rpc, height) : lowestRate(answers[i]));
  return rates;
}

function lowestRate(answer: unknown): number | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { feerate_percentiles: rates, txs } = answer as { feerate_percentiles?: unknown; txs?: unknown };
  const lowest: unknown = Array.isArray(rates) ? rates[0] : null;
  return typeof txs === 'number' && txs > 1 && typeof lowest === 'number' && lowest >= 0 ? lowest : null;
}

async function readRate(rpc: CoreRpc, height: number): Promise<number | null> {
  const [genesis, hash] = await rpc.batch('getblockhash', [[0], [height]]);
  if (!isHash(genesis) || !isHash(hash)) return null;
  const [raw] = await rpc.batch('getblock', [[hash, 0]]);
  if (typeof raw !== 'string') return null;
  const [coinbase, ...others] = readBlock(fromHex(raw));
  if (coinbase === undefined || others.length === 0) return null;
  const subsidy = subsidyAt(height, networkOfGenesis(genesis));
  return (await lastRate(rpc, others)) ?? meanRate(coinbase, others, subsidy);
}

/** Transactions that are looked at: the middle one of them is no straggler. */
const lastOnes = 15;

/**
 * By the coins that they spend, as far as the node finds what made them: those of one input, so that a call each is
 * enough.
 */
async function lastRate(rpc: CoreRpc, others: readonly RawTransaction[]): Promise<number | null> {
  const last = others.slice(-lastOnes).filter(({ inputs }) => inputs.length === 1);
  const origins = await rpc.batch(
    'getrawtransaction',
    last.map(({ inputs }) => [inputs[0]?.txid, 0]),
  );
  const rates = last.flatMap(({ inputs, outputs, weight }, i) => {
    const raw = origins[i];
    const spent = typeof raw === 'string' ? readTransaction(fromHex(raw)).outputs[inputs[0]?.vout ?? 0] : undefined;
    return spent === undefined ? [] : [(Number(spent.amount - paidOut({ outputs })) * 4) / weight];
  });
  return rates.sort((a, b) => a - b)[Math.floor((rates.length - 1) / 2)] ?? null;
}

/**
 * What the coinbase takes beyond the subsidy, over the virtual bytes of all others; null where its miner took less than
 * there was.
 */
function meanRate(coinbase: RawTransaction, others: readonly RawTransaction[], subsidy: bigint): number | null {
  const fees = Number(paidOut(coinbase) - subsidy);
  return fees < 0 ? null : (fees * 4) / others.reduce((sum, { weight }) => sum + weight, 0);
}

const firstSubsidy = 5_000_000_000n;
const halvings = { regtest: 150, others: 210_000 } as const;

/** Sats that a block makes (Bitcoin Core, `GetBlockSubsidy`; the intervals stand in its chainparams.cpp). */
function subsidyAt(height: number, network: string): bigint {
  return firstSubsidy >> BigInt(Math.floor(height / (network === 'regtest' ? halvings.regtest : halvings.others)));
}
