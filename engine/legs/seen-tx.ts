import { sameBytes } from '../domain/hash.ts';
import { sats } from '../domain/money.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import { arkadeFieldType, type Prevout } from './psbt.ts';
import { type PsbtField, readRawPsbt } from './raw-psbt.ts';
import { ByteReader, type RawInput, type RawTransaction, readRawTx, readStack, secretLength } from './raw-tx.ts';

/** An input of a transaction that somebody else made. */
export interface SeenInput extends Outpoint {
  /** Its final witness with an annex in it; empty where there is none. */
  readonly stack: readonly Uint8Array[];
  /** Those items of it that have the length of a secret. */
  readonly candidates: readonly Uint8Array[];
  /** What a PSBT says of it. */
  readonly fields: readonly PsbtField[];
}

/** A transaction that somebody else made, as far as it can be read at all: a raw one, or a PSBT. */
export interface SeenTx {
  readonly tx: RawTransaction;
  readonly isPsbt: boolean;
  readonly inputs: readonly SeenInput[];
}

/** Fields of an input (BIP 174 and 371). */
const fieldType = {
  witnessUtxo: 0x01,
  finalWitness: 0x08,
  tapKeySig: 0x13,
  tapScriptSig: 0x14,
  tapLeafScript: 0x15,
} as const;

/**
 * Null for bytes that are neither a PSBT nor a raw transaction. Nothing is refused that a miner or an operator could
 * take.
 */
export function readSeenTx(bytes: Uint8Array): SeenTx | null {
  const psbt = readRawPsbt(bytes);
  if (psbt !== null) {
    const { tx } = psbt;
    return { tx, isPsbt: true, inputs: tx.inputs.map((input, i) => inPsbt(input, psbt.inputs[i] ?? [])) };
  }
  const tx = readRawTx(bytes);
  return tx && { tx, isPsbt: false, inputs: tx.inputs.map(onChain) };
}

function onChain(input: RawInput): SeenInput {
  return {
    txid: input.txid,
    vout: input.vout,
    fields: [],
    get stack() {
      return input.witness;
    },
    get candidates() {
      return input.candidates;
    },
  };
}

function inPsbt({ txid, vout }: RawInput, fields: readonly PsbtField[]): SeenInput {
  const final = fields.find(({ type }) => type === fieldType.finalWitness);
  return {
    txid,
    vout,
    fields,
    stack: final === undefined ? [] : itemsOf(final.value),
    candidates: final === undefined ? [] : itemsOf(final.value, secretLength),
  };
}

/** The items of a stack as far as they can be read. */
function itemsOf(value: Uint8Array, only?: number): Uint8Array[] {
  try {
    return readStack(new ByteReader(value), only);
  } catch (cause) {
    if (cause instanceof RangeError) return [];
    throw cause;
  }
}

/** First byte of an annex (BIP-341). */
const annexTag = 0x50;

/**
 * The witness of a Taproot input without its annex, and the annex: whoever has a miner can add one, and before it
 * nothing is where it is looked for (facts/onchain.md 9).
 */
export function withoutAnnex(stack: readonly Uint8Array[]): {
  readonly items: readonly Uint8Array[];
  readonly annex: Uint8Array | null;
} {
  const last = stack.at(-1);
  return stack.length > 1 && last?.[0] === annexTag
    ? { items: stack.slice(0, -1), annex: last }
    : { items: stack, annex: null };
}

/** The values of one Arkade field of an input, in order (facts/arkade.md 14). */
export function arkadeValues({ fields }: SeenInput, name: 'taptree' | 'condition'): Uint8Array[] {
  const key = Uint8Array.from(name, (letter) => letter.charCodeAt(0));
  return fields
    .filter((field) => field.type === arkadeFieldType && sameBytes(field.key, key))
    .map(({ value }) => value);
}

/** Every item of every condition of an input. */
export function conditionOf(input: SeenInput): Uint8Array[] {
  return arkadeValues(input, 'condition').flatMap((value) => itemsOf(value));
}

/**
 * Everything of an input that has the length of a secret, most likely places first: its condition, its final witness
 * with annex and all, then each other field, by itself and as a stack. In what place an operator accepts a secret is
 * its own affair.
 */
export function* candidatesIn(input: SeenInput): Generator<Uint8Array> {
  for (const value of arkadeValues(input, 'condition')) yield* itemsOf(value, secretLength);
  yield* input.candidates;
  for (const { value } of input.fields) {
    if (value.length === secretLength) yield value;
    yield* itemsOf(value, secretLength);
  }
}

/** The same in any length. */
export function* itemsIn(input: SeenInput): Generator<Uint8Array> {
  yield* conditionOf(input);
  yield* input.stack;
  for (const { value } of input.fields) {
    yield value;
    yield* itemsOf(value);
  }
}

/** The leaf scripts that an input says it is spent by. */
export function leafScriptsOf({ fields, stack }: SeenInput): Uint8Array[] {
  // BIP 371: the leaf version follows the script.
  const carried = fields
    .filter(({ type }) => type === fieldType.tapLeafScript)
    .map(({ value }) => value.subarray(0, -1));
  if (carried.length > 0) return carried;
  const { items } = withoutAnnex(stack);
  const revealed = items.at(-2); // BIP 341: the script comes before the control block
  return revealed ? [revealed] : [];
}

/** The control block and script of each leaf that a PSBT input carries. */
export function carriedLeaves({ fields }: SeenInput): { readonly control: Uint8Array; readonly script: Uint8Array }[] {
  return fields
    .filter(({ type }) => type === fieldType.tapLeafScript)
    .map(({ key, value }) => ({ control: key, script: value.subarray(0, -1) }));
}

/** The signature of the output key itself (BIP 371). */
export function keyPathSignature({ fields }: SeenInput): Uint8Array | null {
  return fields.find(({ type, key }) => type === fieldType.tapKeySig && key.length === 0)?.value ?? null;
}

/** The signatures of a key over a leaf that a PSBT input carries (BIP 371). */
export function leafSignatures({ fields }: SeenInput, key: Uint8Array, leafHash: Uint8Array): Uint8Array[] {
  return fields
    .filter(
      (field) =>
        field.type === fieldType.tapScriptSig &&
        sameBytes(field.key.subarray(0, 32), key) &&
        sameBytes(field.key.subarray(32), leafHash),
    )
    .map(({ value }) => value);
}

/** What an input spends as the PSBT itself says; null where it does not say it. */
export function statedPrevout({ fields }: SeenInput): Prevout | null {
  const utxo = fields.find(({ type, key }) => type === fieldType.witnessUtxo && key.length === 0);
  if (utxo === undefined) return null;
  try {
    const reader = new ByteReader(utxo.value);
    return { amount: sats(reader.u64()), script: reader.take(reader.count()) };
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}
