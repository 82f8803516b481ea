import { newTx, type Prevout, type Tx } from './psbt.ts';
import type { CoinRef } from './psbt.ts';
import type { Leaf } from './tapscript.ts';

/**
 * No output below this is relayed, whatever its script (Bitcoin Core's dust limit of the largest standard output), in
 * sats.
 */
export const dust = 330n;

/** Bytes of a signature without sighash byte (BIP 341, SIGHASH_DEFAULT). */
export const signatureLength = 64;

/** A coin that a leaf spends on the chain; `sequence` is what BIP 68 makes the leaf wait since the coin was mined. */
export interface ChainInput {
  readonly coin: CoinRef;
  readonly pkScript: Uint8Array;
  readonly sequence: number;
}

/** The transaction before anybody signs. Its sequences also let it be replaced (BIP 125). */
export function unsigned(inputs: readonly ChainInput[], output: Prevout): Tx {
  const tx = newTx({ version: 2, lockTime: 0 });
  for (const { coin, pkScript, sequence } of inputs)
    tx.addInput({
      txid: coin.txid,
      index: coin.vout,
      sequence,
      witnessUtxo: { script: pkScript, amount: coin.amount },
    });
  tx.addOutput(output);
  return tx;
}

/**
 * What a spend of one coin pays: the fee that is wanted, but no more than `most`, unless the coin is too small for
 * that; and never so much that dust is left. Null says that the coin is not worth one sat per virtual byte.
 */
export function spendFee(ask: {
  readonly amount: bigint;
  readonly most: bigint;
  /** In virtual bytes. */
  readonly size: number;
  /** Sats per virtual byte. */
  readonly rate: number;
}): { readonly fee: bigint; readonly capped: boolean } | null {
  const { amount, most, size, rate } = ask;
  const floor = BigInt(size);
  const room = amount - dust;
  const ceiling = most >= floor && most <= room ? most : room;
  if (ceiling < floor) return null;
  const wanted = BigInt(Math.ceil(Math.max(1, rate) * size));
  return wanted < ceiling ? { fee: wanted, capped: false } : { fee: ceiling, capped: true };
}

/** BIP 341 script path: what the script takes, bottom of the stack first, then the script and its control block. */
export function leafWitness(
  { script, tapLeaf: [{ version, internalKey, merklePath }] }: Leaf,
  stack: readonly Uint8Array[],
): Uint8Array[] {
  return [...stack, script, Uint8Array.from([version, ...internalKey, ...merklePath.flatMap((hash) => [...hash])])];
}
