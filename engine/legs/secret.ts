import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import {
  asHash160,
  asPreimage,
  asSha256,
  sameBytes,
  type Hash160,
  type Preimage,
  type Sha256,
} from '../domain/hash.ts';

/** The form of the hash on Lightning and the EVM. */
export function sha256Of(preimage: Preimage): Sha256 {
  return asSha256(sha256(preimage));
}

/** The form of the hash in Bitcoin and Arkade scripts, when only the other form is known (facts/clients.md 18). */
export function hash160OfSha256(hash: Sha256): Hash160 {
  return asHash160(ripemd160(hash));
}

/** The form that all directions share. */
export function hash160OfEither(hash: Sha256 | Hash160): Hash160 {
  return hash.length === 20 ? (hash as Hash160) : hash160OfSha256(hash as Sha256);
}

/** HASH160 of the preimage: RIPEMD-160 of its SHA-256. */
export function hash160Of(preimage: Preimage): Hash160 {
  return hash160OfSha256(sha256Of(preimage));
}

/** Whether bytes of another length than 32 open a script that asks for their HASH160 alone. */
export function opensOffLength(hash: Hash160, candidate: Uint8Array): boolean {
  return candidate.length !== 32 && sameBytes(ripemd160(sha256(candidate)), hash);
}

/**
 * The candidate as a preimage when it opens `hash`, of either form; null when it does not.
 * Any length but 32 bytes is no preimage even where its hash fits: a longer secret would open a lenient leg and not a
 * strict one, and whoever holds the strict one would lose it (facts/faults.md 18).
 */
export function preimageMatches(hash: Sha256 | Hash160, candidate: Uint8Array): Preimage | null {
  if (candidate.length !== 32) return null;
  const preimage = asPreimage(candidate);
  const opened = hash.length === 32 ? sha256Of(preimage) : hash160Of(preimage);
  return sameBytes(opened, hash) ? preimage : null;
}
