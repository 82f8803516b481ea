import { schnorr } from '@noble/curves/secp256k1.js';

/** BIP-340, by another library than the one that the engine signs with, so that neither judges itself. */
export function schnorrSign(message: Uint8Array, secret: Uint8Array): Uint8Array {
  return schnorr.sign(message, secret);
}

export function schnorrVerify(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  return schnorr.verify(signature, message, key);
}
