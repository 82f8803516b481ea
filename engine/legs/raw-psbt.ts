import { isPsbt } from './psbt.ts';
import { ByteReader, type RawTransaction, readRawTx } from './raw-tx.ts';

/** One entry of a map of a PSBT (BIP 174). */
export interface PsbtField {
  readonly type: number;
  /** What follows the type in its key. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface RawPsbt {
  readonly tx: RawTransaction;
  /** Of each input its fields, as they stand there. */
  readonly inputs: readonly (readonly PsbtField[])[];
}

/** BIP 174: the transaction before anybody signed, in the first map. */
const unsignedTx = 0x00;

/**
 * A PSBT as it is serialised (BIP 174, version 0): no field of it is judged, known or unknown. A library that judges
 * them refuses one that the operator took, and the preimage in it with it. Null for what holds no transaction.
 */
export function readRawPsbt(bytes: Uint8Array): RawPsbt | null {
  if (!isPsbt(bytes)) return null;
  try {
    const reader = new ByteReader(bytes, 5);
    const raw = fieldsAt(reader).find(({ type, key }) => type === unsignedTx && key.length === 0);
    const tx = raw === undefined ? null : readRawTx(raw.value);
    return tx && { tx, inputs: tx.inputs.map(() => fieldsAt(reader)) };
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

function fieldsAt(reader: ByteReader): PsbtField[] {
  const fields: PsbtField[] = [];
  for (let length = reader.count(); length > 0; length = reader.count()) {
    const named = new ByteReader(reader.take(length));
    const type = named.count();
    const key = named.take(named.left);
    fields.push({ type, key, value: reader.take(reader.count()) });
  }
  return fields;
}
