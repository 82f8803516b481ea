import { Transaction } from 'bitcoinjs-lib/src/transaction';
import type { KeySpend } from '../../engine/legs/onchain/key-spend.ts';

/** The transaction with the signature of both in the input that takes the coin. */
export function signedKeySpend({ bytes }: Pick<KeySpend, 'bytes'>, index: number, signature: Uint8Array): Uint8Array {
  const tx = Transaction.fromBuffer(bytes);
  tx.setWitness(index, [signature]);
  return tx.toBuffer();
}
