import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../domain/hex.ts';
import { type Sats, sats } from '../domain/money.ts';
import type { Outpoint, Txid } from '../domain/outpoint.ts';

export interface RawInput extends Outpoint {
  /** BIP-68, unsigned. */
  readonly sequence: number;
  /** Bottom of the stack first, an annex included; empty where there is none. Read when it is asked for. */
  readonly witness: readonly Uint8Array[];
  /** Those items of it that have the length of a secret: of millions of others none is made. */
  readonly candidates: readonly Uint8Array[];
}

export interface RawOutput {
  readonly script: Uint8Array;
  readonly amount: Sats;
}

/**
 * A transaction as it is serialised (BIP-144). Nothing of it is judged: whatever a miner can put into a block is
 * readable, of any version, size and form, for what we cannot read we cannot claim by (facts/onchain.md 9 to 11).
 */
export interface RawTransaction {
  readonly bytes: Uint8Array;
  /** As an unsigned number: consensus has no forbidden one. */
  readonly version: number;
  readonly inputs: readonly RawInput[];
  readonly outputs: readonly RawOutput[];
  /** Unsigned; a height below 500,000,000, else unix seconds. */
  readonly lockTime: number;
  /** Computed when it is asked for: most of a block is nobody of ours. */
  readonly txid: Txid;
  /** BIP-141: each byte outside the witness counts four times. */
  readonly weight: number;
  /** Virtual bytes, rounded up. */
  readonly vsize: number;
}

/** The first transaction of a block, whose only input takes no coin. */
export function isReward({ inputs }: Pick<RawTransaction, 'inputs'>): boolean {
  return inputs.length === 1 && inputs[0]?.txid === '00'.repeat(32) && inputs[0].vout === 0xffff_ffff;
}

/** Hashes twice with SHA-256. */
export type DoubleHash = (bytes: Uint8Array) => Uint8Array;

function doubleSha256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/**
 * Reads Bitcoin's serialisation from a place on; the hot path of following a chain, so by hand. Throws RangeError where
 * the bytes end early.
 */
export class ByteReader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  skip(length: number): void {
    if (length > this.left) throw new RangeError('the bytes end early');
    this.at += length;
  }

  take(length: number): Uint8Array {
    this.skip(length);
    return this.#bytes.subarray(this.at - length, this.at);
  }

  u32(): number {
    this.skip(4);
    return this.#view.getUint32(this.at - 4, true);
  }

  u64(): bigint {
    this.skip(8);
    return this.#view.getBigUint64(this.at - 8, true);
  }

  /** Compact size. */
  count(): number {
    this.skip(1);
    const first = this.#view.getUint8(this.at - 1);
    if (first < 0xfd) return first;
    if (first === 0xfe) return this.u32();
    if (first === 0xff) return Number(this.u64());
    this.skip(2);
    return this.#view.getUint16(this.at - 2, true);
  }

  part(from: number, to = this.at): Uint8Array {
    return this.#bytes.subarray(from, to);
  }
}

/** The items of a witness as it stands there: their number, and each with its length. `only`: those of this length. */
export function readStack(reader: ByteReader, only?: number): Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let left = reader.count(); left > 0; left--) {
    const length = reader.count();
    if (only === undefined || length === only) items.push(reader.take(length));
    else reader.skip(length);
  }
  return items;
}

/** Bytes of a secret. */
export const secretLength = 32;

/** Null for bytes that are no transaction, or not one alone. */
export function readRawTx(bytes: Uint8Array, hash?: DoubleHash): RawTransaction | null {
  try {
    const reader = new ByteReader(bytes);
    const transaction = read(reader, hash);
    return reader.left === 0 ? transaction : null;
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

/** The transactions of a block that begin at a place in it. Throws RangeError for bytes that are none. */
export function readRawTxs(bytes: Uint8Array, at: number, hash?: DoubleHash): RawTransaction[] {
  const reader = new ByteReader(bytes, at);
  const transactions: RawTransaction[] = [];
  for (let left = reader.count(); left > 0; left--) transactions.push(read(reader, hash));
  return transactions;
}

class Input implements RawInput {
  readonly txid: Txid;
  readonly vout: number;
  readonly sequence: number;
  /** Where its witness begins in the bytes; null without one. */
  witnessAt: number | null = null;
  readonly #bytes: Uint8Array;

  constructor(reader: ByteReader, bytes: Uint8Array) {
    this.txid = toHex(reader.take(32).slice().reverse());
    this.vout = reader.u32();
    reader.skip(reader.count());
    this.sequence = reader.u32();
    this.#bytes = bytes;
  }

  get witness(): Uint8Array[] {
    return this.witnessAt === null ? [] : readStack(new ByteReader(this.#bytes, this.witnessAt));
  }

  get candidates(): Uint8Array[] {
    return this.witnessAt === null ? [] : readStack(new ByteReader(this.#bytes, this.witnessAt), secretLength);
  }
}

function read(reader: ByteReader, hash: DoubleHash = doubleSha256): RawTransaction {
  const start = reader.at;
  const version = reader.u32();
  const beforeMarker = reader.at;
  const segwit = reader.take(1)[0] === 0;
  if (segwit) reader.skip(1);
  else reader.at = beforeMarker;
  const body = reader.at;
  const inputs: Input[] = [];
  const all = reader.part(0, reader.at + reader.left);
  for (let left = reader.count(); left > 0; left--) inputs.push(new Input(reader, all));
  const outputs: RawOutput[] = [];
  for (let left = reader.count(); left > 0; left--) {
    const amount = sats(reader.u64());
    outputs.push({ amount, script: reader.take(reader.count()) });
  }
  const bodyEnd = reader.at;
  if (segwit)
    for (const input of inputs) {
      input.witnessAt = reader.at;
      for (let items = reader.count(); items > 0; items--) reader.skip(reader.count());
    }
  const lockTime = reader.u32();
  const end = reader.at;
  const bytes = reader.part(start);
  const weight = bytes.length + 3 * (beforeMarker - start + bodyEnd - body + 4);
  let id: Txid | null = null;
  return {
    bytes,
    version,
    inputs,
    outputs,
    lockTime,
    weight,
    vsize: Math.ceil(weight / 4),
    get txid() {
      // BIP-141: the id leaves marker, flag and witness out. Displayed reversed.
      id ??= toHex(
        hash(
          segwit
            ? joined(reader.part(start, beforeMarker), reader.part(body, bodyEnd), reader.part(end - 4, end))
            : bytes,
        )
          .slice()
          .reverse(),
      );
      return id;
    },
  };
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The coins that it spends, by their names alone. */
export function outpointsOf({ inputs }: Pick<RawTransaction, 'inputs'>): Outpoint[] {
  return inputs.map(({ txid, vout }) => ({ txid, vout }));
}

/** The output that an outpoint names, in the transaction that made it; null where it has none there. */
export function outputAt(tx: RawTransaction | null, vout: number): RawOutput | null {
  return tx?.outputs[vout] ?? null;
}

/** What all outputs hold together. */
export function paidOut({ outputs }: Pick<RawTransaction, 'outputs'>): Sats {
  return sats(outputs.reduce((sum, { amount }) => sum + amount, 0n));
}
