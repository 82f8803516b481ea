import { bytesToHex, hexToBytes, keccak256, serializeTransaction } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { publicPointOf, signRecoverable } from '../secp256k1.ts';
import { accountOfPoint } from './signature.ts';

/** The account of a private key: the last 20 bytes of the hash of its public point (yellow paper, appendix F). */
export function accountOf(secret: Uint8Array): EvmAddress {
  return accountOfPoint(publicPointOf(secret));
}

/** A transaction of the oldest form, which every chain takes and chains 30 and 31 take alone (facts/evm.md 7). */
export interface LegacyTransaction {
  readonly chainId: number;
  readonly nonce: number;
  /** Wei for each unit of gas. */
  readonly gasPrice: bigint;
  readonly gas: bigint;
  readonly to: EvmAddress;
  /** Wei. */
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** The signed bytes (EIP-155). The chain id is in what is signed: without it another chain would take them too. */
export function signTransaction(transaction: LegacyTransaction, secret: Uint8Array): Uint8Array {
  const fields = {
    ...transaction,
    type: 'legacy',
    to: bytesToHex(transaction.to),
    data: bytesToHex(transaction.data),
  } as const;
  const { r, s, yParity } = signRecoverable(keccak256(serializeTransaction(fields), 'bytes'), secret);
  const v = BigInt(transaction.chainId) * 2n + 35n + BigInt(yParity);
  return hexToBytes(serializeTransaction(fields, { r: bytesToHex(r), s: bytesToHex(s), v }));
}
