import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';

/** The pair of contracts that a swap was begun with: it keeps to it for ever, whatever the owner configures later. */
export interface SwapContracts {
  readonly kind: 'erc20' | 'native';
  readonly htlc: EvmAddress;
  readonly coordinator: EvmAddress;
  /** Of the HTLC's EIP-712 domain. */
  readonly htlcVersion: string;
  /** Of the coordinator's domain; null where it takes no signature of its own. */
  readonly coordinatorVersion: string | null;
}

/** Where a pair stands. */
export type ContractPair = Pick<SwapContracts, 'htlc' | 'coordinator'>;

export function samePair(one: ContractPair, other: ContractPair): boolean {
  return sameBytes(one.htlc, other.htlc) && sameBytes(one.coordinator, other.coordinator);
}

/** One call that a coordinator carries out (facts/evm.md 5). */
export interface Call {
  readonly target: EvmAddress;
  /** Wei. */
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** A recoverable secp256k1 signature as contracts take it: `v` 27 or 28, `r` and `s` 32 bytes each. */
export interface EvmSignature {
  readonly v: number;
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}
