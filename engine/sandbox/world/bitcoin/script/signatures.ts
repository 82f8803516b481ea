import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { fail } from './fault.ts';
import { type Signed, taprootHash } from './sighash.ts';

/** BIP-66: an ECDSA signature in strict DER, with its sighash byte. */
function isDer(signature: Uint8Array): boolean {
  const length = signature.length;
  if (length < 9 || length > 73) return false;
  const at = (i: number): number => signature[i] ?? 0;
  const rLength = at(3);
  const sLength = at(5 + rLength);
  if (at(0) !== 0x30 || at(1) !== length - 3 || 5 + rLength >= length || rLength + sLength + 7 !== length) return false;
  const isInteger = (start: number, size: number): boolean =>
    at(start - 2) === 2 &&
    size > 0 &&
    (at(start) & 0x80) === 0 &&
    !(size > 1 && at(start) === 0 && (at(start + 1) & 0x80) === 0);
  return isInteger(4, rLength) && isInteger(6 + rLength, sLength);
}

/** r and s, 64 bytes; null where one of them has no room. */
function compactOf(signature: Uint8Array): Uint8Array | null {
  const rLength = signature[3] ?? 0;
  const compact = new Uint8Array(64);
  const parts = [signature.subarray(4, 4 + rLength), signature.subarray(6 + rLength, -1)];
  for (const [i, part] of parts.entries()) {
    const short = part[0] === 0 ? part.subarray(1) : part;
    if (short.length > 32) return null;
    compact.set(short, 32 * (i + 1) - short.length);
  }
  return compact;
}

const halfOrder = secp256k1.Point.Fn.ORDER / 2n;

function isHighS(signature: Uint8Array): boolean {
  const compact = compactOf(signature);
  return compact !== null && BigInt(`0x${Buffer.from(compact.subarray(32)).toString('hex')}`) > halfOrder;
}

/** Fails on what is no signature, by consensus or by what nodes relay. An empty one is none, and no fault. */
export function checkSignatureForm(signature: Uint8Array, standard: boolean): void {
  if (signature.length === 0) return;
  if (!isDer(signature)) fail('SIG_DER');
  if (!standard) return;
  if (isHighS(signature)) fail('SIG_HIGH_S');
  const type = (signature.at(-1) ?? 0) & ~0x80;
  if (type < 1 || type > 3) fail('SIG_HASHTYPE');
}

/** Fails on a key in a form that nodes do not relay. */
export function checkKeyForm(key: Uint8Array, witness: boolean): void {
  const compressed = key.length === 33 && (key[0] === 2 || key[0] === 3);
  if (!compressed && !(key.length === 65 && key[0] === 4)) fail('PUBKEYTYPE');
  if (witness && !compressed) fail('WITNESS_PUBKEYTYPE');
}

/** The key in a form that the curve library reads: the two of old that say the parity of y beside it. */
function plainKey(key: Uint8Array): Uint8Array {
  const [form] = key;
  if (key.length !== 65 || (form !== 6 && form !== 7)) return key;
  if (((key[64] ?? 0) & 1) !== (form & 1)) throw new RangeError('y is of the other parity');
  return Uint8Array.of(4, ...key.subarray(1));
}

/** Whether a signature with its sighash byte is this key's over the hash. */
export function ecdsaHolds(signature: Uint8Array, key: Uint8Array, hashOf: (type: number) => Uint8Array): boolean {
  if (signature.length === 0) return false;
  const compact = compactOf(signature);
  if (compact === null) return false;
  try {
    const hash = hashOf(signature.at(-1) ?? 0);
    return secp256k1.verify(compact, hash, plainKey(key), { prehash: false, lowS: false });
  } catch {
    return false; // no point, or no scalar
  }
}

/** BIP-340 and 341; fails where the signature is not this key's. */
export function checkSchnorr(
  signature: Uint8Array,
  key: Uint8Array,
  signed: Signed,
  over: Omit<Parameters<typeof taprootHash>[1], 'type'>,
): void {
  if (signature.length !== 64 && signature.length !== 65) fail('SCHNORR_SIG_SIZE');
  const type = signature[64] ?? 0;
  if (signature.length === 65 && type === 0) fail('SCHNORR_SIG_HASHTYPE');
  const hash = taprootHash(signed, { ...over, type }) ?? fail('SCHNORR_SIG_HASHTYPE');
  if (!schnorr.verify(signature.subarray(0, 64), hash, key)) fail('SCHNORR_SIG');
}
