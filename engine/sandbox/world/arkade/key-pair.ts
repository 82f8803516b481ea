import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

export interface KeyPair {
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly xOnly: Uint8Array;
}

export function keyPair(seed: Uint8Array, purpose: string): KeyPair {
  const secret = hmac(sha256, seed, new TextEncoder().encode(`sandbox operator ${purpose}`));
  const publicKey = secp256k1.getPublicKey(secret, true);
  return { secret, publicKey, xOnly: schnorr.getPublicKey(secret) };
}
