import { toHex } from '../../../domain/hex.ts';
import { type Sats, sats } from '../../../domain/money.ts';
import type { Outpoint, Txid } from '../../../domain/outpoint.ts';
import { idOf } from './header.ts';

export interface TxInput {
  readonly spends: Outpoint;
  readonly script: Uint8Array;
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}

export interface TxOutput {
  readonly amount: Sats;
  readonly script: Uint8Array;
}

/** A transaction as the sandbox reads it, by a parser of its own. */
export interface Tx {
  readonly txid: Txid;
  /** Of the bytes with their witness. */
  readonly wtxid: Txid;
  readonly version: number;
  readonly locktime: number;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
  /** With the witness, when there is one. */
  readonly bytes: Uint8Array;
  readonly weight: number;
  /** Weight in quarters, rounded up (BIP-141). */
  readonly vsize: number;
}

const emptyWitness: readonly Uint8Array[] = [];

/** Reads one whole transaction; throws on anything else. */
export function parseTx(bytes: Uint8Array): Tx {
  const cursor = createCursor(bytes);
  const version = cursor.int32();
  const segwit = bytes[4] === 0 && bytes[5] === 1;
  if (segwit) cursor.take(2);
  const bodyStart = cursor.at();
  const bare = Array.from({ length: cursor.count() }, () => readInput(cursor));
  const outputs = Array.from({ length: cursor.count() }, () => ({
    amount: sats(cursor.uint64()),
    script: cursor.take(cursor.count()),
  }));
  const bodyEnd = cursor.at();
  const inputs = segwit
    ? bare.map((input) => ({
        ...input,
        witness: Array.from({ length: cursor.count() }, () => cursor.take(cursor.count())),
      }))
    : bare;
  if (segwit && inputs.every(({ witness }) => witness.length === 0))
    throw new RangeError('a witness is announced and none is there');
  const locktime = cursor.uint32();
  if (cursor.at() !== bytes.length) throw new RangeError(`${bytes.length - cursor.at()} bytes are left over`);

  const stripped = segwit
    ? Uint8Array.of(...bytes.subarray(0, 4), ...bytes.subarray(bodyStart, bodyEnd), ...bytes.subarray(-4))
    : bytes;
  const weight = stripped.length * 3 + bytes.length;
  const txid = idOf(stripped);
  return {
    txid,
    wtxid: segwit ? idOf(bytes) : txid,
    version,
    locktime,
    inputs,
    outputs,
    bytes,
    weight,
    vsize: Math.ceil(weight / 4),
  };
}

export function isCoinbase(tx: Tx): boolean {
  const [first] = tx.inputs;
  return (
    tx.inputs.length === 1 && first !== undefined && first.spends.vout === 0xffffffff && /^0+$/.test(first.spends.txid)
  );
}

export function totalOut(tx: Tx): Sats {
  return sats(tx.outputs.reduce((sum, { amount }) => sum + amount, 0n));
}

/** The bytes of a transaction whose inputs have empty scripts; a witness only when one has items. */
export function writeTx(tx: {
  version: number;
  inputs: readonly Omit<TxInput, 'script'>[];
  outputs: readonly TxOutput[];
  inputScript?: Uint8Array;
}): Uint8Array {
  const parts: Uint8Array[] = [uint32(tx.version)];
  const witnessed = tx.inputs.some(({ witness }) => witness.length > 0);
  if (witnessed) parts.push(Uint8Array.of(0, 1));
  parts.push(varint(tx.inputs.length));
  for (const { spends, sequence } of tx.inputs)
    parts.push(
      Buffer.from(spends.txid, 'hex').reverse(),
      uint32(spends.vout),
      withLength(tx.inputScript ?? new Uint8Array()),
      uint32(sequence),
    );
  parts.push(varint(tx.outputs.length));
  for (const { amount, script } of tx.outputs) parts.push(uint64(amount), withLength(script));
  if (witnessed) for (const { witness } of tx.inputs) parts.push(varint(witness.length), ...witness.map(withLength));
  parts.push(uint32(0));
  return new Uint8Array(Buffer.concat(parts));
}

function readInput(cursor: Cursor): TxInput {
  const txid = toHex(cursor.take(32).slice().reverse());
  const vout = cursor.uint32();
  const script = cursor.take(cursor.count());
  return { spends: { txid, vout }, script, sequence: cursor.uint32(), witness: emptyWitness };
}

type Cursor = ReturnType<typeof createCursor>;

function createCursor(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  function past(length: number): number {
    const start = at;
    at += length;
    if (at > bytes.length) throw new RangeError('the bytes end too early');
    return start;
  }

  return {
    at: () => at,
    take(length: number): Uint8Array {
      const start = past(length);
      return bytes.subarray(start, at);
    },
    int32: () => view.getInt32(past(4), true),
    uint32: () => view.getUint32(past(4), true),
    uint64: () => view.getBigUint64(past(8), true),
    /** A count or a length: never more than there are bytes. */
    count(): number {
      const first = view.getUint8(past(1));
      const count =
        first < 0xfd
          ? first
          : first === 0xfd
            ? view.getUint16(past(2), true)
            : first === 0xfe
              ? view.getUint32(past(4), true)
              : Number(view.getBigUint64(past(8), true));
      if (count > bytes.length) throw new RangeError(`a count of ${count} in ${bytes.length} bytes`);
      return count;
    },
  };
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function uint64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

export function varint(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value);
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >> 8);
  return Uint8Array.of(0xfe, ...uint32(value));
}

function withLength(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(...varint(bytes.length), ...bytes);
}
