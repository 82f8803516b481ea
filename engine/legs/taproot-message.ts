import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { CompactSize } from '@scure/btc-signer';
import { fromHex } from '../domain/hex.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import type { Prevout } from './psbt.ts';
import type { RawTransaction } from './raw-tx.ts';
import { taggedHash } from './secp256k1.ts';

/** BIP 341: all others make a signature invalid. */
const sighashTypes: readonly number[] = [0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83];

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
  return concatBytes(CompactSize.encode(BigInt(bytes.length)), bytes);
}

function pointOf({ txid, vout }: Outpoint): Uint8Array {
  return concatBytes(fromHex(txid).reverse(), u32(vout));
}

function outputOf({ amount, script }: Prevout): Uint8Array {
  return concatBytes(u64(amount), sized(script));
}

function hashed(parts: readonly Uint8Array[]): Uint8Array {
  return sha256(concatBytes(...parts));
}

/**
 * What a signature by a leaf commits to (BIP 341 with the extension of BIP 342), for a transaction of any version, with
 * any sighash type and annex. Null where no signature of that type is valid there. Wrong: who signed a spend is
 * misread, and with it whose the coin is.
 */
export function leafMessageOf(
  tx: RawTransaction,
  index: number,
  {
    prevouts,
    leafHash,
    sighash,
    annex,
  }: {
    readonly prevouts: readonly Prevout[];
    readonly leafHash: Uint8Array;
    readonly sighash: number;
    readonly annex: Uint8Array | null;
  },
): Uint8Array | null {
  const input = tx.inputs[index];
  const prevout = prevouts[index];
  if (!sighashTypes.includes(sighash) || input === undefined || prevout === undefined) return null;
  const onlyThisInput = (sighash & 0x80) !== 0;
  const outputs = sighash & 0x03;
  const single = outputs === 3 ? tx.outputs[index] : null;
  if (single === undefined) return null;
  return taggedHash(
    'TapSighash',
    Uint8Array.of(0, sighash),
    u32(tx.version),
    u32(tx.lockTime),
    ...(onlyThisInput
      ? []
      : [
          hashed(tx.inputs.map(pointOf)),
          hashed(prevouts.map(({ amount }) => u64(amount))),
          hashed(prevouts.map(({ script }) => sized(script))),
          hashed(tx.inputs.map(({ sequence }) => u32(sequence))),
        ]),
    ...(outputs === 2 || outputs === 3 ? [] : [hashed(tx.outputs.map(outputOf))]),
    // A leaf, with or without an annex.
    Uint8Array.of(2 + (annex === null ? 0 : 1)),
    ...(onlyThisInput ? [pointOf(input), outputOf(prevout), u32(input.sequence)] : [u32(index)]),
    ...(annex === null ? [] : [sha256(sized(annex))]),
    ...(single === null ? [] : [sha256(outputOf(single))]),
    leafHash,
    // The version of keys, and no OP_CODESEPARATOR.
    Uint8Array.of(0),
    u32(0xffff_ffff),
  );
}
