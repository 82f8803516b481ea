import { networkOfGenesis } from '../../domain/chain.ts';
import { fromHex } from '../../domain/hex.ts';
import { isHash } from './core-chain.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';
import { readBlock } from './raw.ts';

/**
 * What nine tenths of each block's weight paid at least, in sats per virtual byte. Of a node that keeps no such statistics (btcd) it is what the block
 * paid in the mean, which is never less. Null for a block without transactions, and for one that the node has not any more.
 */
export async function coreBlockRates(rpc: CoreRpc, heights: readonly number[]): Promise<(number | null)[]> {
  const answers = await rpc.batch(
    'getblockstats',
    heights.map((height) => [height, ['feerate_percentiles', 'txs']]),
  );
  const rates: (number | null)[] = [];
  // One block at a time: they are large.
  for (const [i, height] of heights.entries())
    rates.push(answers[i] instanceof RpcRefusal ? await meanRate(rpc, height) : lowestRate(answers[i]));
  return rates;
}

function lowestRate(answer: unknown): number | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { feerate_percentiles: rates, txs } = answer as { feerate_percentiles?: unknown; txs?: unknown };
  const lowest: unknown = Array.isArray(rates) ? rates[0] : null;
  return typeof txs === 'number' && txs > 1 && typeof lowest === 'number' && lowest >= 0 ? lowest : null;
}

/** What the coinbase takes beyond the subsidy, over the virtual bytes of all others. */
async function meanRate(rpc: CoreRpc, height: number): Promise<number | null> {
  const [genesis, hash] = await rpc.batch('getblockhash', [[0], [height]]);
  if (!isHash(genesis) || !isHash(hash)) return null;
  const [raw] = await rpc.batch('getblock', [[hash, 0]]);
  if (typeof raw !== 'string') return null;
  const [coinbase, ...others] = readBlock(fromHex(raw));
  if (coinbase === undefined || others.length === 0) return null;
  const taken = coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const size = others.reduce((sum, { weight }) => sum + weight, 0) / 4;
  // A miner may take less than all of it: then nothing is known.
  const fees = Number(taken - subsidyAt(height, networkOfGenesis(genesis)));
  return fees < 0 ? null : fees / size;
}

const firstSubsidy = 5_000_000_000n;
const halvings = { regtest: 150, others: 210_000 } as const;

/** Sats that a block makes (Bitcoin Core, `GetBlockSubsidy`; the intervals stand in its chainparams.cpp). */
function subsidyAt(height: number, network: string): bigint {
  return firstSubsidy >> BigInt(Math.floor(height / (network === 'regtest' ? halvings.regtest : halvings.others)));
}
