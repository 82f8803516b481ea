import { schnorr } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Coin } from '../ledger.ts';
import { type Tx, type TxInput, type TxOutput, varint } from '../tx.ts';
import { code, without } from './codes.ts';

/** What is signed of a transaction, and what was paid into each of its coins. */
export interface Signed {
  readonly tx: Tx;
  readonly coins: readonly Pick<Coin, 'amount' | 'script'>[];
  /** Place of the input that is judged. */
  readonly index: number;
}

const [none, single, anyoneCanPay] = [2, 3, 0x80];

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

function sized(bytes: Uint8Array): Uint8Array {
  return joined([varint(bytes.length), bytes]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function pointOf({ spends }: TxInput): Uint8Array {
  return joined([Buffer.from(spends.txid, 'hex').reverse(), u32(spends.vout)]);
}

function outputOf({ amount, script }: Pick<TxOutput, 'amount' | 'script'>): Uint8Array {
  return joined([u64(amount), sized(script)]);
}

function twice(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/**
 * Of scripts before witnesses, with the quirk that a signature for an output that is not there signs the number one.
 */
export function legacyHash({ tx, index }: Signed, scriptCode: Uint8Array, type: number): Uint8Array {
  const kind = type & 0x1f;
  if (kind === single && index >= tx.outputs.length) return Uint8Array.of(1, ...new Uint8Array(31));
  const script = without(scriptCode, Uint8Array.of(code.codeSeparator)).script;
  const inputs = tx.inputs.flatMap((input, i) => {
    const own = i === index;
    if ((type & anyoneCanPay) !== 0 && !own) return [];
    const sequence = !own && (kind === none || kind === single) ? 0 : input.sequence;
    return [joined([pointOf(input), sized(own ? script : new Uint8Array()), u32(sequence)])];
  });
  const outputs =
    kind === none
      ? []
      : kind === single
        ? tx.outputs
            .slice(0, index + 1)
            .map((output, i) => (i === index ? outputOf(output) : Uint8Array.of(...new Uint8Array(8).fill(0xff), 0)))
        : tx.outputs.map(outputOf);
  return twice(
    joined([
      u32(tx.version),
      varint(inputs.length),
      ...inputs,
      varint(outputs.length),
      ...outputs,
      u32(tx.locktime),
      u32(type),
    ]),
  );
}

/** BIP-143. */
export function witnessHash({ tx, coins, index }: Signed, scriptCode: Uint8Array, type: number): Uint8Array {
  const kind = type & 0x1f;
  const input = tx.inputs[index];
  const coin = coins[index];
  if (input === undefined || coin === undefined) throw new RangeError('no such input');
  const zero = new Uint8Array(32);
  const alone = (type & anyoneCanPay) !== 0;
  const some = kind === none || kind === single;
  const output = tx.outputs[index];
  return twice(
    joined([
      u32(tx.version),
      alone ? zero : twice(joined(tx.inputs.map(pointOf))),
      alone || some ? zero : twice(joined(tx.inputs.map(({ sequence }) => u32(sequence)))),
      pointOf(input),
      sized(scriptCode),
      u64(coin.amount),
      u32(input.sequence),
      some
        ? kind === single && output !== undefined
          ? twice(outputOf(output))
          : zero
        : twice(joined(tx.outputs.map(outputOf))),
      u32(tx.locktime),
      u32(type),
    ]),
  );
}

/** BIP-341, with the extension of BIP-342 where a leaf is run. Null for a type that no signature has. */
export function taprootHash(
  { tx, coins, index }: Signed,
  {
    type,
    annex,
    leaf,
  }: {
    readonly type: number;
    readonly annex: Uint8Array | null;
    readonly leaf: { readonly hash: Uint8Array; readonly separator: number } | null;
  },
): Uint8Array | null {
  const kind = type & 3;
  const input = tx.inputs[index];
  const coin = coins[index];
  const output = tx.outputs[index];
  if (input === undefined || coin === undefined) throw new RangeError('no such input');
  if ((type & ~0x83) !== 0 || type === anyoneCanPay) return null;
  if (kind === single && output === undefined) return null;
  const alone = (type & anyoneCanPay) !== 0;
  return schnorr.utils.taggedHash(
    'TapSighash',
    joined([
      Uint8Array.of(0, type),
      u32(tx.version),
      u32(tx.locktime),
      ...(alone
        ? []
        : [
            sha256(joined(tx.inputs.map(pointOf))),
            sha256(joined(coins.map(({ amount }) => u64(amount)))),
            sha256(joined(coins.map(({ script }) => sized(script)))),
            sha256(joined(tx.inputs.map(({ sequence }) => u32(sequence)))),
          ]),
      ...(kind === none || kind === single ? [] : [sha256(joined(tx.outputs.map(outputOf)))]),
      Uint8Array.of((leaf === null ? 0 : 2) + (annex === null ? 0 : 1)),
      ...(alone ? [pointOf(input), outputOf(coin), u32(input.sequence)] : [u32(index)]),
      ...(annex === null ? [] : [sha256(sized(annex))]),
      ...(kind === single && output !== undefined ? [sha256(outputOf(output))] : []),
      ...(leaf === null ? [] : [leaf.hash, Uint8Array.of(0), u32(leaf.separator)]),
    ]),
  );
}
