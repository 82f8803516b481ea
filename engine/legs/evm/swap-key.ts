import { bytesToHex, encodeAbiParameters, hexToBytes, keccak256 } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';

/** All that a lock of an EVM chain consists of. The contract stores none of it, only the key made of it. */
export interface LockTerms {
  readonly preimageHash: Sha256;
  /**
   * Smallest units of the token, as the contract's own event tells it: what a swap on the way in brought may be more
   * than was asked for.
   */
  readonly amount: bigint;
  /** Zero for the native coin. */
  readonly token: EvmAddress;
  /** Whom the contract pays from the timelock on: the coordinator, where it made the lock for a client. */
  readonly refundAddress: EvmAddress;
  readonly claimAddress: EvmAddress;
  /** Unix seconds of the chain's own clock. */
  readonly timelock: bigint;
}

const words = [
  { type: 'bytes32' },
  { type: 'uint256' },
  { type: 'address' },
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
] as const;

/** Terms are agreed once, and their key is asked for at every event. */
const keys = new WeakMap<LockTerms, Uint8Array>();

/**
 * The key by which `HTLCErc20` and `HTLCNative` know a lock (facts/evm.md 1): 32 bytes. With one term wrong it is the
 * key of a lock that does not exist: a claim reverts, and a watch waits for ever while the other side's timelock runs.
 */
export function swapKey(terms: LockTerms): Uint8Array {
  const key = keys.get(terms) ?? keyOf(terms);
  keys.set(terms, key);
  return key;
}

function keyOf(terms: LockTerms): Uint8Array {
  const values = [
    bytesToHex(terms.preimageHash),
    terms.amount,
    bytesToHex(terms.token),
    bytesToHex(terms.refundAddress),
    bytesToHex(terms.claimAddress),
    terms.timelock,
  ] as const;
  return hexToBytes(keccak256(encodeAbiParameters(words, values)));
}
