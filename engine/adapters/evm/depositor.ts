import { bytesToHex, encodeFunctionData, parseAbi } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { asBytes } from './read.ts';
import { RpcError } from './rpc.ts';
import type { Source } from './source.ts';

/** Of which block a view is asked: the latest, or this very one (EIP-1898). */
export type BlockOfState = 'latest' | `0x${string}` | { readonly blockHash: `0x${string}` };
/** One word that a contract answers, by one RPC. */
export type Word = (data: `0x${string}`, at?: BlockOfState) => Promise<`0x${string}`>;

const coordinatorAbi = parseAbi(['function deposits(bytes32) view returns (address)']);

/** Below the tip of an RPC by so many blocks its latest state is that of no branch, and not of before the block. */
const buriedBlocks = 16;

/** Whom a coordinator notes for a lock; null for nobody. */
export async function depositorBy(word: Word, key: Uint8Array, at?: BlockOfState): Promise<EvmAddress | null> {
  const data = encodeFunctionData({ abi: coordinatorAbi, args: [bytesToHex(key)] });
  const address = asBytes(await word(data, at), 'a depositor').subarray(12);
  return address.every((byte) => byte === 0) ? null : asEvmAddress(address);
}

/**
 * Whom it noted when the lock was made. What an RPC says of its latest state is as good once the block is buried, and
 * where it is somebody: nobody else is noted for a lock later. Many have no state of long ago, and some do not know a
 * block by its hash.
 */
export async function depositorAtBlock(
  source: Source,
  word: Word,
  { block, key }: { readonly block: { readonly height: number; readonly hash: string }; readonly key: Uint8Array },
): Promise<EvmAddress | 'nobody' | null> {
  try {
    return (await depositorBy(word, key, { blockHash: `0x${block.hash}` })) ?? 'nobody';
  } catch (cause) {
    if (!(cause instanceof RpcError) || cause.isBusy) throw cause;
  }
  const latest = await depositorBy(word, key);
  const isBuried = (source.tip?.height ?? 0) - block.height >= buriedBlocks;
  return latest ?? (isBuried ? 'nobody' : null);
}
