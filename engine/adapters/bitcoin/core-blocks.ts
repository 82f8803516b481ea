import { type CoreRpc, RpcRefusal } from './json-rpc.ts';

/**
 * What nine tenths of each block's weight paid at least, in sats per virtual byte; null for a block without transactions, and of a node that keeps
 * no such statistics (btcd) or has not the block any more.
 */
export async function coreBlockRates(rpc: CoreRpc, heights: readonly number[]): Promise<(number | null)[]> {
  const answers = await rpc.batch(
    'getblockstats',
    heights.map((height) => [height, ['feerate_percentiles', 'txs']]),
  );
  return answers.map((answer) => {
    if (answer instanceof RpcRefusal || typeof answer !== 'object' || answer === null) return null;
    const { feerate_percentiles: rates, txs } = answer as { feerate_percentiles?: unknown; txs?: unknown };
    const lowest: unknown = Array.isArray(rates) ? rates[0] : null;
    return typeof txs === 'number' && txs > 1 && typeof lowest === 'number' && lowest >= 0 ? lowest : null;
  });
}
