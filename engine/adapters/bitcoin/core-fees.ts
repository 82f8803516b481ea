import { type CoreRpc, RpcRefusal } from './json-rpc.ts';

/** Sats per virtual byte below which no node relays. */
const floor = 1;
/** btcd estimates for at most so many blocks. */
const btcdFurthest = 25;
const satsPerBitcoin = 100_000_000;

/**
 * What the node asks for to be mined within `blocks`; its mempool's least, and never less than the floor, when it has
 * no estimate.
 */
export async function coreFees(rpc: CoreRpc, blocks: number): Promise<number> {
  const estimate = (await smart(rpc, blocks)) ?? (await plain(rpc, blocks)) ?? 0;
  return Math.max(floor, estimate, await leastOfPool(rpc));
}

/** An estimate in whole bitcoin per 1000 virtual bytes, as sats per virtual byte. */
function perByte(rate: unknown): number | null {
  return typeof rate === 'number' && Number.isFinite(rate) && rate > 0 ? (rate * satsPerBitcoin) / 1_000 : null;
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (cause) {
    // It has no such method, or no data: the next way is asked.
    if (cause instanceof RpcRefusal) return null;
    throw cause;
  }
}

async function smart(rpc: CoreRpc, blocks: number): Promise<number | null> {
  const answer = await orNull(() => rpc.call('estimatesmartfee', [blocks]));
  return perByte((answer as { feerate?: unknown } | null)?.feerate);
}

async function plain(rpc: CoreRpc, blocks: number): Promise<number | null> {
  return perByte(await orNull(() => rpc.call('estimatefee', [Math.min(blocks, btcdFurthest)])));
}

async function leastOfPool(rpc: CoreRpc): Promise<number> {
  const info = (await orNull(() => rpc.call('getmempoolinfo'))) as { mempoolminfee?: unknown } | null;
  return perByte(info?.mempoolminfee) ?? 0;
}
