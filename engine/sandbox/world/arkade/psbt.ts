import { ConditionWitness, Transaction, VtxoTaprootTree, TapTreeCoder, getArkPsbtFields } from '@arkade-os/sdk';
import { SigHash } from '@scure/btc-signer';
import { base64 } from '../../../adapters/arkade/base64.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { type Outpoint, outpointKey } from '../../../domain/outpoint.ts';
import { conditionFailure } from './condition.ts';
import { type CoinScript, type Leaf, type TapLeafScript, coinScriptOf, leafOf } from './script.ts';
import { schnorrSign, schnorrVerify } from './schnorr.ts';
import type { KeyPair } from './key-pair.ts';

export type Psbt = Transaction;

/** The ephemeral anchor: pay-to-anchor, zero satoshis. */
export const anchorScript = Uint8Array.of(0x51, 0x02, 0x4e, 0x73);

const magicLength = 5;

export function parsePsbt(text: string): Psbt {
  const bytes = base64.decode(text);
  // The words of arkd, whose reader wants the five bytes that every PSBT begins with.
  if (bytes.length < magicLength) throw new Error('unexpected EOF');
  return Transaction.fromPSBT(bytes);
}

export function printPsbt(tx: Psbt): string {
  return base64.encode(tx.toPSBT());
}

/** Null when the input lacks its outpoint. */
export function outpointOf(tx: Psbt, index: number): Outpoint | null {
  const input = tx.getInput(index);
  return input.txid === undefined || input.index === undefined ? null : { txid: toHex(input.txid), vout: input.index };
}

export function inputKey(tx: Psbt, index: number): string {
  const point = outpointOf(tx, index);
  return point === null ? '' : outpointKey(point);
}

export interface Output {
  readonly script: Uint8Array;
  readonly amount: bigint;
}

export function outputsOf(tx: Psbt): Output[] {
  return Array.from({ length: tx.outputsLength }, (_, i) => {
    const output = tx.getOutput(i);
    return { script: output.script ?? new Uint8Array(), amount: output.amount ?? 0n };
  });
}

/** The only tap leaf of an input, or null when there is none or more than one. */
export function soleLeaf(
  tx: Psbt,
  index: number,
): { readonly leaf: Leaf | null; readonly proof: TapLeafScript } | null {
  const proofs = tx.getInput(index).tapLeafScript;
  const proof = proofs?.[0];
  if (proofs?.length !== 1 || proof === undefined) return null;
  return { leaf: leafOf(proof[1].subarray(0, -1)), proof: proof as TapLeafScript };
}

/** The script tree in the input's taptree field; null when it is missing or unreadable. */
export function tapTreeOf(tx: Psbt, index: number): CoinScript | null {
  const [field] = getArkPsbtFields(tx, index, VtxoTaprootTree);
  if (field === undefined) return null;
  try {
    return coinScriptOf(TapTreeCoder.decode(field).map((leaf) => leaf.script));
  } catch {
    return null;
  }
}

export function conditionWitnessOf(tx: Psbt, index: number): Uint8Array[] {
  return getArkPsbtFields(tx, index, ConditionWitness)[0] ?? [];
}

/** The outputs that a transaction's inputs spend, in order: what its signatures commit to. */
export type Prevouts = readonly Output[];

export function leafSighash(tx: Psbt, index: number, leaf: Leaf, prevouts: Prevouts, sighash: number): Uint8Array {
  const scripts = prevouts.map((prevout) => prevout.script);
  const amounts = prevouts.map((prevout) => prevout.amount);
  return tx.preimageWitnessV1(index, scripts, sighash, amounts, undefined, leaf.script, 0xc0);
}

/**
 * Whether every key of `keys` has signed input `index` over `leaf`, with one of the sighash types allowed. Answers with
 * the first key that has not, null when all have.
 */
export function unsignedKey(
  tx: Psbt,
  index: number,
  leaf: Leaf,
  prevouts: Prevouts,
  keys: readonly Uint8Array[],
  allowed: readonly number[] = [SigHash.DEFAULT],
): { readonly key: Uint8Array; readonly why: 'missing' | 'wrong' } | null {
  const entries = tx.getInput(index).tapScriptSig ?? [];
  for (const key of keys) {
    const entry = entries.find(([id]) => sameBytes(id.pubKey, key) && sameBytes(id.leafHash, leaf.hash));
    if (entry === undefined) return { key, why: 'missing' };
    const sighash = entry[1].length === 65 ? (entry[1][64] ?? 0) : SigHash.DEFAULT;
    if (!allowed.includes(sighash)) return { key, why: 'wrong' };
    const message = leafSighash(tx, index, leaf, prevouts, sighash);
    if (!schnorrVerify(entry[1].subarray(0, 64), message, key)) return { key, why: 'wrong' };
  }
  return null;
}

/**
 * Why the condition of a leaf does not hold on the witness that the input carries; null when it holds or there is none.
 */
export function unmetCondition(tx: Psbt, index: number, leaf: Leaf): string | null {
  return leaf.condition === null ? null : conditionFailure(leaf.condition, conditionWitnessOf(tx, index));
}

export type Signatures = NonNullable<ReturnType<Psbt['getInput']>['tapScriptSig']>;

/** The operator's own signature over a leaf. */
export function leafSignature(
  tx: Psbt,
  index: number,
  leaf: Leaf,
  prevouts: Prevouts,
  key: KeyPair,
): Signatures[number] {
  const signature = schnorrSign(leafSighash(tx, index, leaf, prevouts, SigHash.DEFAULT), key.secret);
  return [{ pubKey: key.xOnly, leafHash: leaf.hash }, signature];
}

/** Updating merges signatures by key and refuses another value for a known one, so the old ones go first. */
export function replaceSignatures(tx: Psbt, index: number, signatures: Signatures): void {
  const removal: object = { tapScriptSig: undefined };
  tx.updateInput(index, removal, true);
  tx.updateInput(index, { tapScriptSig: signatures }, true);
}

export function signatureOf(tx: Psbt, index: number, key: Uint8Array): Uint8Array | null {
  return (tx.getInput(index).tapScriptSig ?? []).find(([id]) => sameBytes(id.pubKey, key))?.[1] ?? null;
}
