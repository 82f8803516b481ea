import { sameBytes } from '../../domain/hash.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { Vtxo } from './vtxo.ts';
import type { Prevout, Tx } from '../psbt.ts';
import { carriesOnly, tapTreeFields } from '../psbt.ts';
import type { Leaf } from '../tapscript.ts';
import type { VhtlcLeaf, VhtlcScript } from './script.ts';
import { vhtlcOutput } from './script.ts';
import type { VhtlcTerms } from './terms.ts';

/** A request over coins of one swap. Every judgement of it answers null, or one sentence that says what is wrong. */
export interface Checked {
  readonly terms: VhtlcTerms;
  /** Every coin that the indexer lists at the swap's script. */
  readonly coins: readonly Vtxo[];
}

/** A coin that the request may spend, and nothing else. */
export function ownCoins({ terms, coins }: Checked): Map<string, Vtxo> {
  const { pkScript } = vhtlcOutput(terms);
  return new Map(
    coins.filter((coin) => sameBytes(coin.script, pkScript)).map((coin) => [outpointKey(coin.outpoint), coin]),
  );
}

/** What is wrong with an input that claims to spend one of the swap's coins by this leaf. */
export function wrongCoinInput(
  tx: Tx,
  index: number,
  coin: Vtxo | undefined,
  by: { readonly script: VhtlcScript; readonly leaf: VhtlcLeaf },
  what: string,
): string | null {
  const where = `input ${index} of ${what}`;
  if (!coin) return `${where} spends an output that is no coin of this swap`;
  if (coin.spent) return `${where} spends a coin that is spent already`;
  if (coin.unrolled) return `${where} spends a coin that left the operator for the chain`;
  const { script, leaf } = by;
  return (
    wrongPrevout(tx, index, { script: script.pkScript, amount: coin.amount }, where) ??
    wrongLeaf(tx, index, script.leaf[leaf], script.tapTree, where, leaf)
  );
}

export function wrongPrevout(tx: Tx, index: number, expected: Prevout, where: string): string | null {
  const prevout = tx.getInput(index).witnessUtxo;
  if (!prevout) return `${where} does not say what it spends: add its witness UTXO`;
  if (prevout.amount !== expected.amount)
    return `${where} says its coin holds ${prevout.amount} sats, the coin holds ${expected.amount}`;
  if (!sameBytes(prevout.script, expected.script)) return `${where} says that its coin has another script`;
  return null;
}

export function wrongLeaf(
  tx: Tx,
  index: number,
  leaf: Leaf,
  tapTree: Uint8Array,
  where: string,
  named: string = 'refund',
): string | null {
  if (!carriesOnly(tx, index, leaf))
    return `${where} must carry the ${named} leaf with its control block and no other leaf`;
  if (tapTreeFields(tx, index).some((field) => !sameBytes(field, tapTree)))
    return `${where} carries a script tree that is not the coin's`;
  return null;
}

export function wrongSighash(
  tx: Tx,
  index: number,
  allowed: readonly (number | undefined)[],
  where: string,
): string | null {
  const sighash = tx.getInput(index).sighashType;
  return allowed.includes(sighash)
    ? null
    : `${where} asks for sighash type ${sighash === undefined ? 'default' : `0x${sighash.toString(16)}`}, which is ` +
        'not signed here';
}

export function outputsOf(tx: Tx): Prevout[] | null {
  const outputs: Prevout[] = [];
  for (let i = 0; i < tx.outputsLength; i++) {
    const { script, amount } = tx.getOutput(i);
    if (!script || amount === undefined) return null;
    outputs.push({ script, amount });
  }
  return outputs;
}

export function sum(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}
