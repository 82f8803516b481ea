import { bytesToHex, hexToBytes, keccak256, serializeTransaction } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { publicPointOf, signRecoverable } from '../secp256k1.ts';
import type { EvmTransaction } from './port.ts';
import { accountOfPoint } from './signature.ts';

/** The account of a private key: the last 20 bytes of the hash of its public point (yellow paper, appendix F). */
export function accountOf(secret: Uint8Array): EvmAddress {
  return accountOfPoint(publicPointOf(secret));
}

/**
 * The signed bytes: of the oldest form with the chain's id in it (EIP-155), which chains 30 and 31 take alone
 * (facts/evm.md 7), or with a fee that has a most and a tip (EIP-1559). Without the id another chain would take them
 * too.
 */
export function signTransaction(chainId: number, transaction: EvmTransaction, secret: Uint8Array): Uint8Array {
  return transactionSignedBy(chainId, transaction, (digest) => signRecoverable(digest, secret));
}

/** The same by whoever holds the key, which signs the 32-byte digest of the transaction. */
export function transactionSignedBy(
  chainId: number,
  { to, value, data, nonce, gas, fees }: EvmTransaction,
  sign: (digest: Uint8Array) => { readonly r: Uint8Array; readonly s: Uint8Array; readonly yParity: 0 | 1 },
): Uint8Array {
  const fields = { chainId, nonce, gas, to: bytesToHex(to), value, data: bytesToHex(data) };
  const transaction =
    fees.is === 'legacy'
      ? ({ ...fields, type: 'legacy', gasPrice: fees.price } as const)
      : ({ ...fields, type: 'eip1559', maxFeePerGas: fees.most, maxPriorityFeePerGas: fees.tip } as const);
  const { r, s, yParity } = sign(keccak256(serializeTransaction(transaction), 'bytes'));
  const signature = { r: bytesToHex(r), s: bytesToHex(s) };
  return hexToBytes(
    transaction.type === 'legacy'
      ? serializeTransaction(transaction, { ...signature, v: BigInt(chainId) * 2n + 35n + BigInt(yParity) })
      : serializeTransaction(transaction, { ...signature, yParity }),
  );
}
