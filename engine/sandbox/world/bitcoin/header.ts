import { hash } from 'node:crypto';
import { fromHex, toHex } from '../../../domain/hex.ts';

export interface Header {
  readonly hash: string;
  readonly height: number;
  /** The header's own time, unix seconds. */
  readonly time: number;
  /** Median time past including this block (BIP-113). */
  readonly mtp: number;
  readonly previous: string | null;
  readonly merkleRoot: string;
  readonly nonce: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
}

const version = 0x20000000;
/** Regtest's easiest target: every second header meets it. */
export const difficultyBits = 0x207fffff;

/** A mantissa of three bytes, shifted to 32. */
const target = BigInt(difficultyBits & 0xffffff) << BigInt(8 * ((difficultyBits >>> 24) - 3));

/** The next header on `previous`, with proof of work. */
export function mineHeader(previous: Header, merkleRoot: string, time: number, mtp: number): Header {
  const header = headerBytes(version, previous.hash, merkleRoot, time, 0);
  const view = new DataView(header.buffer);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    if (meetsTarget(doubleHash(header))) return headerOf(header, previous.height + 1, mtp);
  }
}

/**
 * Whether a hash, in the order of its bytes, is at most the whole target: its top bytes may be 7f ff ff, and then all
 * below them are zero.
 */
export function meetsTarget(hash: Uint8Array): boolean {
  return BigInt(`0x${toHex(hash.slice().reverse())}`) <= target;
}

/** Reads a header back from what the journal keeps. */
export function headerOf(header: Uint8Array, height: number, mtp: number): Header {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const previous = toHex(header.slice(4, 36).reverse());
  return {
    hash: idOf(header),
    height,
    time: view.getUint32(68, true),
    mtp,
    previous: height === 0 ? null : previous,
    merkleRoot: toHex(header.slice(36, 68).reverse()),
    nonce: view.getUint32(76, true),
    header,
  };
}

export function versionOf({ header }: Header): number {
  return new DataView(header.buffer, header.byteOffset, header.byteLength).getInt32(0, true);
}

export function headerBytes(
  blockVersion: number,
  previous: string | null,
  merkleRoot: string,
  time: number,
  nonce: number,
): Uint8Array {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setUint32(0, blockVersion, true);
  if (previous !== null) header.set(fromHex(previous).reverse(), 4);
  header.set(fromHex(merkleRoot).reverse(), 36);
  view.setUint32(68, time, true);
  view.setUint32(72, difficultyBits, true);
  view.setUint32(76, nonce, true);
  return header;
}

/** The root over ids in their displayed form; the last of an odd row stands for two. */
export function merkleRoot(ids: readonly string[]): string {
  let row = ids.map((id) => fromHex(id).reverse());
  while (row.length > 1) {
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) => {
      const left = row[2 * i] ?? new Uint8Array();
      return doubleHash(Buffer.concat([left, row[2 * i + 1] ?? left]));
    });
  }
  return toHex((row[0] ?? new Uint8Array(32)).slice().reverse());
}

/** What an id is hashed with on the way up to the root, from below. */
export function merkleBranch(ids: readonly string[], position: number): string[] {
  const branch: string[] = [];
  for (let [row, at] = [ids, position]; row.length > 1; at = Math.floor(at / 2)) {
    const last = row.at(-1) ?? '';
    branch.push(row[at % 2 === 0 ? at + 1 : at - 1] ?? last);
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) =>
      merkleRoot([row[2 * i] ?? '', row[2 * i + 1] ?? last]),
    );
  }
  return branch;
}

export function doubleHash(bytes: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** The double hash of bytes as ids are displayed. */
export function idOf(bytes: Uint8Array): string {
  return doubleHash(bytes).reverse().toString('hex');
}
