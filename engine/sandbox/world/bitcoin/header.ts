import { createHash } from 'node:crypto';
import { fromHex, toHex } from '../../../domain/hex.ts';

/** A block of the sandbox's chain: its header is real, its only transaction a coinbase. */
export interface Block {
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
const bits = 0x207fffff;
const blockVersionOfGenesis = 1;

/** The regtest genesis block as Bitcoin Core's chainparams.cpp has it. */
export const genesis: Block = blockOf(
  headerBytes(blockVersionOfGenesis, null, '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', 1296688602, 2),
  0,
  1296688602,
);

/** The next block on `previous`, with proof of work. */
export function mineHeader(previous: Block, time: number, mtp: number): Block {
  const merkleRoot = toHex(doubleHash(coinbase(previous.height + 1)).reverse());
  const header = headerBytes(version, previous.hash, merkleRoot, time, 0);
  const view = new DataView(header.buffer);
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    // The top byte of the target is 0x7f: the displayed hash begins with less than 8.
    if ((doubleHash(header)[31] ?? 0xff) < 0x80) return blockOf(header, previous.height + 1, mtp);
  }
}

/** Reads a block back from what the journal keeps. */
export function blockOf(header: Uint8Array, height: number, mtp: number): Block {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const previous = toHex(header.slice(4, 36).reverse());
  return {
    hash: toHex(doubleHash(header).reverse()),
    height,
    time: view.getUint32(68, true),
    mtp,
    previous: height === 0 ? null : previous,
    merkleRoot: toHex(header.slice(36, 68).reverse()),
    nonce: view.getUint32(76, true),
    header,
  };
}

export const difficultyBits = bits;

/** A coinbase transaction with its height first in the input script (BIP-34) and an unspendable output. */
export function coinbase(height: number): Uint8Array {
  const heightBytes = scriptNumber(height);
  const script = Uint8Array.of(heightBytes.length, ...heightBytes, 0x00);
  return Uint8Array.of(
    ...[2, 0, 0, 0, 1],
    ...new Uint8Array(32),
    ...[0xff, 0xff, 0xff, 0xff, script.length],
    ...script,
    ...[0xff, 0xff, 0xff, 0xff, 1],
    ...new Uint8Array(8),
    ...[1, 0x6a],
    ...[0, 0, 0, 0],
  );
}

function scriptNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if (((bytes.at(-1) ?? 0) & 0x80) !== 0) bytes.push(0);
  return Uint8Array.from(bytes);
}

function headerBytes(blockVersion: number, previous: string | null, merkleRoot: string, time: number, nonce: number): Uint8Array {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setUint32(0, blockVersion, true);
  if (previous !== null) header.set(fromHex(previous).reverse(), 4);
  header.set(fromHex(merkleRoot).reverse(), 36);
  view.setUint32(68, time, true);
  view.setUint32(72, bits, true);
  view.setUint32(76, nonce, true);
  return header;
}

export function doubleHash(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest());
}
