import { sats, type Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { toHex } from '../../domain/hex.ts';
import { displayedHash } from './headers.ts';

export interface RawOutput {
  readonly script: Uint8Array;
  readonly amount: Sats;
}

/** A transaction as it is serialised. Its id is computed when it is asked for: most of a block is nobody of ours. */
export interface RawTransaction {
  readonly bytes: Uint8Array;
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly RawOutput[];
  readonly txid: Txid;
  /** BIP-141: each byte outside the witness counts four times. */
  readonly weight: number;
}

const headerLength = 80;

/** Reads Bitcoin's serialisation (BIP-144) from a place on; the hot path of following a chain, so by hand. */
class Reader {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.at) throw new RangeError('the transaction ends early');
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  u32(): number {
    const value = this.#view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  u64(): bigint {
    const value = this.#view.getBigUint64(this.at, true);
    this.at += 8;
    return value;
  }

  count(): number {
    const first = this.take(1)[0] ?? 0;
    if (first < 0xfd) return first;
    if (first === 0xfd) {
      this.at += 2;
      return this.#view.getUint16(this.at - 2, true);
    }
    return first === 0xfe ? this.u32() : Number(this.u64());
  }

  part(from: number, to = this.at): Uint8Array {
    return this.#bytes.subarray(from, to);
  }
}

function read(reader: Reader): RawTransaction {
  const start = reader.at;
  reader.at += 4;
  const beforeMarker = reader.at;
  const segwit = reader.take(1)[0] === 0;
  if (segwit) reader.at += 1;
  else reader.at = beforeMarker;
  const body = reader.at;
  const inputs = Array.from({ length: reader.count() }, () => {
    const txid = toHex(reader.take(32).slice().reverse());
    const vout = reader.u32();
    reader.take(reader.count());
    reader.at += 4;
    return { txid, vout };
  });
  const outputs = Array.from({ length: reader.count() }, () => {
    const amount = sats(reader.u64());
    return { amount, script: reader.take(reader.count()) };
  });
  const bodyEnd = reader.at;
  if (segwit)
    for (let left = inputs.length; left > 0; left--)
      for (let items = reader.count(); items > 0; items--) reader.take(reader.count());
  reader.take(4);
  const bytes = reader.part(start);
  const end = reader.at;
  return {
    bytes,
    inputs,
    outputs,
    weight: bytes.length + 3 * (beforeMarker - start + bodyEnd - body + 4),
    get txid() {
      // BIP-141: the id leaves marker, flag and witness out.
      return displayedHash(
        segwit
          ? Buffer.concat([reader.part(start, beforeMarker), reader.part(body, bodyEnd), reader.part(end - 4, end)])
          : bytes,
      );
    },
  };
}

export function readTransaction(bytes: Uint8Array): RawTransaction {
  const reader = new Reader(bytes);
  const transaction = read(reader);
  if (reader.at !== bytes.length) throw new RangeError('the transaction is followed by more bytes');
  return transaction;
}

/** The transactions of a block, without its header. */
export function readBlock(bytes: Uint8Array): RawTransaction[] {
  const reader = new Reader(bytes, headerLength);
  return Array.from({ length: reader.count() }, () => read(reader));
}
