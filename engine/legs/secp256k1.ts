import { sha256 } from '@noble/hashes/sha2.js';
import { utf8 } from '@scure/base';
import { BIP32Factory } from 'bip32';
import * as library from 'tiny-secp256k1';
import { asPublicKey, asXOnly, type PublicKey, type XOnly, xOnlyOf } from '../domain/hash.ts';

/*
 * Every signature, verification and public key of the engine comes from one library, libsecp256k1 as WebAssembly
 * (tiny-secp256k1). The sandbox judges with another one, so that neither judges itself.
 */

/** BIP-32 derivation. */
export const bip32 = BIP32Factory(library);

/** The compressed public key of a private key, 32 bytes; throws when they are no private key. */
export function publicKeyOf(secret: Uint8Array): PublicKey {
  const point = library.pointFromScalar(secret, true);
  if (point === null) throw new RangeError('a private key of zero has no public half');
  return asPublicKey(point);
}

/**
 * The compressed public key by which a compact ECDSA signature over 32 bytes was made, found by its recovery id of 0 to
 * 3; throws when there is none. Wrong: an invoice counts as its payee's that is somebody else's.
 */
export function recoveredKey(hash: Uint8Array, signature: Uint8Array, recovery: number): PublicKey {
  if (recovery !== 0 && recovery !== 1 && recovery !== 2 && recovery !== 3)
    throw new RangeError(`a recovery id is 0 to 3, not ${recovery}`);
  const key = library.recover(hash, signature, recovery, true);
  if (key === null) throw new RangeError('no key can have made this signature');
  return asPublicKey(key);
}

/** The same as x and y, 64 bytes; null where no key can have made it. */
export function recoveredPoint(hash: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Uint8Array | null {
  try {
    return library.recover(hash, signature, recovery, false)?.subarray(1) ?? null;
  } catch {
    return null; // the library throws for an r or s that is no scalar
  }
}

/**
 * The sum of a point times a scalar of 32 bytes and another point, compressed; null where that is no point. Throws on a
 * key that is none.
 */
export function timesPlus(point: PublicKey, scalar: Uint8Array, other: PublicKey | null): PublicKey | null {
  const product = library.pointMultiply(point, scalar, true);
  const sum = product === null || other === null ? product : library.pointAdd(product, other, true);
  return sum === null ? null : asPublicKey(sum);
}

/** Half the order of the group. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Whether the `s` of a signature, 32 bytes, is in the lower half: else the same signature can be written twice. */
export function isLowS(s: Uint8Array): boolean {
  return s.reduce((value, byte) => value * 256n + BigInt(byte), 0n) <= halfOrder;
}

/** The public key of a private key as x and y, 64 bytes: what an EVM account is the hash of. */
export function publicPointOf(secret: Uint8Array): Uint8Array {
  const point = library.pointFromScalar(secret, false);
  if (point === null) throw new RangeError('a private key of zero has no public half');
  return point.subarray(1);
}

/** ECDSA (RFC 6979, low s) over a 32-byte hash, with the parity that lets its signer be recovered. */
export function signRecoverable(
  hash: Uint8Array,
  secret: Uint8Array,
): { readonly r: Uint8Array; readonly s: Uint8Array; readonly yParity: 0 | 1 } {
  const { signature, recoveryId } = library.signRecoverable(hash, secret);
  if (recoveryId > 1) throw new RangeError('a signature whose r is above the order cannot be written on an EVM chain');
  return { r: signature.subarray(0, 32), s: signature.subarray(32), yParity: recoveryId === 0 ? 0 : 1 };
}

/** ECDSA (RFC 6979, low s) over a 32-byte hash: r and s, 64 bytes. */
export function ecdsaSign(hash: Uint8Array, secret: Uint8Array): Uint8Array {
  return library.sign(hash, secret);
}

/** The BIP-340 public key of a private key. */
export function xOnlyKeyOf(secret: Uint8Array): XOnly {
  return xOnlyOf(publicKeyOf(secret));
}

/**
 * Whether 32 bytes are the x of a point (BIP-340 `lift_x`). A key off the curve can never sign: what it guards is its
 * opponent's.
 */
export function isXOnly(key: XOnly): boolean {
  return library.isPoint(Uint8Array.of(2, ...key));
}

/** Whether bytes are a compressed public key: a point of the curve, which whoever pays over it has to reckon with. */
export function isPublicKey(key: Uint8Array): boolean {
  return key.length === 33 && library.isPoint(key);
}

/**
 * BIP-340 over a 32-byte message. Without auxiliary randomness, so the same bytes come out every time they are made.
 */
export function schnorrSign(message: Uint8Array, secret: Uint8Array): Uint8Array {
  return library.signSchnorr(message, secret);
}

/**
 * BIP-340: whether 64 bytes are this key's signature over a 32-byte message. What is no key or no signature is none.
 */
export function schnorrVerify(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  try {
    return library.verifySchnorr(message, key, signature);
  } catch {
    return false; // the library throws for bytes that are no point or no scalar
  }
}

/** Points of internal keys, which are few constants: lifting one takes a square root. */
const lifted = new WeakMap<Uint8Array, Uint8Array>();

/**
 * BIP-341: an internal key plus its tweak, and whether the sum has an odd y, which a control block must say. By the
 * generator's own table and one addition: the library's call for it multiplies both points, and takes half as long
 * again.
 */
export function tweaked(internalKey: Uint8Array, tweak: Uint8Array): { readonly key: XOnly; readonly odd: boolean } {
  let internal = lifted.get(internalKey);
  if (internal === undefined) {
    internal = library.pointCompress(Uint8Array.of(2, ...internalKey), false);
    lifted.set(internalKey, internal);
  }
  const added = library.pointFromScalar(tweak, false);
  const sum = added === null ? null : library.pointAdd(internal, added, true);
  if (sum === null) throw new RangeError('the tweaked key is the point at infinity');
  return { key: asXOnly(sum.subarray(1)), odd: sum[0] === 3 };
}

/** BIP-341: what signs the key path of an output that has no scripts (BIP-86), from the key below it. */
export function keyPathSecret(secret: Uint8Array): Uint8Array {
  const publicKey = publicKeyOf(secret);
  const even = publicKey[0] === 2 ? secret : library.privateNegate(secret);
  const sum = library.privateAdd(even, taggedHash('TapTweak', xOnlyOf(publicKey)));
  if (sum === null) throw new RangeError('the tweaked private key is zero');
  return sum;
}

const tags = new Map<string, ReturnType<typeof sha256.create>>();

/**
 * BIP-340: SHA-256 in a domain of its own. Tags are the few constants of the code: what each begins with is hashed
 * once.
 */
export function taggedHash(tag: string, ...parts: readonly Uint8Array[]): Uint8Array {
  let begun = tags.get(tag);
  if (begun === undefined) {
    const tagHash = sha256(utf8.decode(tag));
    begun = sha256.create().update(tagHash).update(tagHash);
    tags.set(tag, begun);
  }
  const hash = begun.clone();
  for (const part of parts) hash.update(part);
  return hash.digest();
}
