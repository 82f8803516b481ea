import { bytesToHex, decodeErrorResult, hexToBytes } from 'viem/utils';
import { sameBytes } from '../../domain/hash.ts';
import { errors } from './abi.ts';
import { swapKey, type LockTerms } from './swap-key.ts';

/** What a contract says of a lock when it refuses a call over it, in the order of the contract's own numbers. */
const states = ['none', 'active', 'redeemed', 'refunded'] as const;
export type KeyState = (typeof states)[number];

/**
 * In which state the contract has a lock, by the bytes that a call over it reverted with (facts/evm.md 2, 10); null
 * where they speak of something else or of another lock. `active`, `redeemed` and `refunded` say that it was made:
 * never is the same one made twice.
 */
export function stateByRevert(data: Uint8Array, lock: LockTerms): KeyState | null {
  let error: { readonly args: readonly [key: `0x${string}`, state: number] };
  try {
    error = decodeErrorResult({ abi: errors, data: bytesToHex(data) });
  } catch {
    return null; // the library throws for what is no error of the table
  }
  const [key, state] = error.args;
  return sameBytes(hexToBytes(key), swapKey(lock)) ? (states[state] ?? null) : null;
}
