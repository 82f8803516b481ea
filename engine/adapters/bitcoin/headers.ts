import { createHash } from 'node:crypto';
import { toHex } from '../../domain/hex.ts';

/** What a block's 80 bytes say of the chain. */
export interface Header {
  readonly previous: string;
  readonly time: number;
}

/** BIP-113: the median is taken over this many block times. */
export const medianOf = 11;

export function doubleHash(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
}

/** The hash of bytes in the reversed form in which Bitcoin displays blocks and transactions. */
export function displayedHash(bytes: Uint8Array): string {
  return toHex(doubleHash(bytes).reverse());
}

/** Reads a header that must be the one of `hash`: a server that sends another one is not believed. */
export function readHeader(bytes: Uint8Array, hash: string): Header {
  if (bytes.length !== 80) throw new Error(`it answered a header of ${bytes.length} bytes`);
  if (displayedHash(bytes) !== hash) throw new Error(`it answered another header than the one of block ${hash}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { previous: toHex(bytes.slice(4, 36).reverse()), time: view.getUint32(68, true) };
}

/** BIP-113's median: the middle one of the sorted times, the later of the two middle ones when they are even. */
export function medianOfTimes(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('it answered no blocks');
  return middle;
}
