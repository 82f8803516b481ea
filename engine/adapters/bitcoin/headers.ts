import { createHash } from 'node:crypto';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { toHex } from '../../domain/hex.ts';

/** What a block's 80 bytes say of the chain. */
export interface Header {
  readonly hash: string;
  readonly previous: string;
  readonly time: number;
  /** The target of its work, compact as it is written (nBits). */
  readonly bits: number;
  readonly merkleRoot: string;
}

/** BIP-113: the median is taken over this many block times. */
export const medianOf = 11;

/** The easiest target of each network (Bitcoin Core, chainparams.cpp: powLimit). */
const easiest: Readonly<Record<BitcoinNetwork, number>> = {
  mainnet: 0x1d00ffff,
  signet: 0x1e0377ae,
  mutinynet: 0x1e0377ae,
  regtest: 0x207fffff,
};
/**
 * Blocks between two changes of the target, and the factor by which it then gets easier at most. Mutinynet's come every
 * 40,320 blocks, two weeks of its own: a multiple of these.
 */
const retarget = { every: 2_016, factor: 4n } as const;

export function doubleHash(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
}

/** The hash of bytes in the reversed form in which Bitcoin displays blocks and transactions. */
function displayedHash(bytes: Uint8Array): string {
  return toHex(doubleHash(bytes).reverse());
}

/** Reads a header that must be the one of `hash`: a server that sends another one is not believed. */
export function readHeader(bytes: Uint8Array, hash: string): Header {
  if (bytes.length !== 80) throw new Error(`it answered a header of ${bytes.length} bytes`);
  if (displayedHash(bytes) !== hash) throw new Error(`it answered another header than the one of block ${hash}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    hash,
    previous: toHex(bytes.slice(4, 36).reverse()),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
    merkleRoot: toHex(bytes.slice(36, 68).reverse()),
  };
}

/** The number that a block's hash must not exceed; 0 for what no block can meet. */
function targetOf(bits: number): bigint {
  const size = bits >>> 24;
  const word = BigInt(bits & 0x7fffff);
  if ((bits & 0x800000) !== 0 || size > 32) return 0n;
  return size <= 3 ? word >> BigInt(8 * (3 - size)) : word << BigInt(8 * (size - 3));
}

/** Hashes that a block took on the average. */
export function workOf({ bits }: Header): bigint {
  return (1n << 256n) / (targetOf(bits) + 1n);
}

/**
 * Throws a sentence for a header whose work does not count: no hash below its target, or a target that its network does
 * not have, or not there. `parent` is null for the lowest header that is known; its height is that of `header` less
 * one.
 */
export function checkWork(header: Header, height: number, parent: Header | null, network: BitcoinNetwork): void {
  const target = targetOf(header.bits);
  if (target === 0n || target > targetOf(easiest[network]))
    throw new Error(`its block ${header.hash} has a target that ${network} does not have`);
  if (BigInt(`0x${header.hash}`) > target) throw new Error(`its block ${header.hash} has no work`);
  if (parent === null || network === 'regtest') return;
  const most = height % retarget.every === 0 ? targetOf(parent.bits) * retarget.factor : targetOf(parent.bits);
  if (target > most) throw new Error(`its block ${header.hash} has less work than it must have there`);
}

/** BIP-113's median: the middle one of the sorted times, the later of the two middle ones when they are even. */
export function medianOfTimes(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('it answered no blocks');
  return middle;
}
