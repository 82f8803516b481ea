import { keccak256 } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../../domain/evm.ts';
import { isLowS, recoveredPoint } from '../secp256k1.ts';
import type { EvmSignature } from './contracts.ts';

/** The account whose key an uncompressed point is, 64 bytes without its prefix (yellow paper, appendix F). */
export function accountOfPoint(point: Uint8Array): EvmAddress {
  return asEvmAddress(keccak256(point, 'bytes').subarray(12));
}

/**
 * Who signed a 32-byte digest; null where no key can have, or where contracts refuse the signature: `v` other than 27
 * and 28, or an `s` of the upper half, which is the same signature a second time (EIP-2). Null wrongly refuses a
 * client; somebody wrongly relays for nothing.
 */
export function recoverSigner(digest: Uint8Array, { v, r, s }: EvmSignature): EvmAddress | null {
  if ((v !== 27 && v !== 28) || r.length !== 32 || s.length !== 32 || !isLowS(s)) return null;
  const point = recoveredPoint(digest, Uint8Array.of(...r, ...s), v === 27 ? 0 : 1);
  return point === null ? null : accountOfPoint(point);
}

/** The three parts of a signature in 65 bytes, r, s and v; null for another length, as contracts that sign have. */
export function partsOf(signature: Uint8Array): EvmSignature | null {
  if (signature.length !== 65) return null;
  return { r: signature.subarray(0, 32), s: signature.subarray(32, 64), v: signature[64] ?? 0 };
}
