import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { fromHex } from '../../domain/hex.ts';
import type { CoinRef } from '../psbt.ts';

/** What an output pays. */
export interface Payment {
  readonly script: Uint8Array;
  readonly amount: bigint;
}

/**
 * A transaction of version 2, before anybody signs it. Throws where it would pay more than its coins hold: the library
 * signs that too.
 */
export function unsignedTx({
  inputs,
  outputs,
  sequence,
  lockTime = 0,
}: {
  readonly inputs: readonly CoinRef[];
  readonly outputs: readonly Payment[];
  /** Of every input (BIP-68, BIP-125). */
  readonly sequence: number;
  readonly lockTime?: number;
}): Transaction {
  const held = inputs.reduce((sum, { amount }) => sum + amount, 0n);
  const paid = outputs.reduce((sum, { amount }) => sum + amount, 0n);
  if (paid > held) throw new RangeError(`a transaction would pay ${paid} sats out of ${held}`);
  const tx = new Transaction();
  tx.version = 2;
  tx.locktime = lockTime;
  for (const { txid, vout } of inputs) tx.addInput(fromHex(txid).reverse(), vout, sequence);
  for (const { script, amount } of outputs) tx.addOutput(script, amount);
  return tx;
}
