import { SigHash } from '@scure/btc-signer';
import { schnorr } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../../domain/hex.ts';
import type { Coin } from './coins.ts';
import { conditionFailure } from './condition.ts';
import { badRequest, floatText, type OperatorError, refusal } from './errors.ts';
import {
  type Output,
  type Psbt,
  conditionWitnessOf,
  inputKey,
  outputsOf,
  parsePsbt,
  soleLeaf,
  unsignedKey,
} from './psbt.ts';
import { isNote, noteLeafOf } from './notes.ts';
import { type Leaf, leafBelongs } from './script.ts';
import type { OperatorState } from './state.ts';

/** An intent as it comes: a proof PSBT in base64 and the exact text that it signs. */
export interface SignedIntent {
  readonly proof: string;
  readonly message: string;
}

export interface IntentMessage {
  readonly type: string;
  readonly onchain_output_indexes?: readonly number[];
  readonly valid_at?: number;
  readonly expire_at?: number;
  readonly cosigners_public_keys?: readonly string[];
}

export interface ProvenInput {
  readonly key: string;
  readonly index: number;
  readonly coin: Coin | undefined;
  readonly leaf: Leaf;
  readonly prevout: Output;
  readonly sequence: number;
}

export interface Proof {
  readonly txid: string;
  readonly psbt: Psbt;
  /** What input 0 reveals: a leaf of the first coin. */
  readonly lead: Leaf;
  readonly inputs: readonly ProvenInput[];
  readonly outputs: readonly Output[];
}

export function readMessage(intent: SignedIntent, type: string): IntentMessage {
  let message: unknown;
  try {
    message = JSON.parse(intent.message);
  } catch {
    throw badRequest('invalid intent message');
  }
  if (typeof message !== 'object' || message === null || (message as IntentMessage).type !== type)
    throw badRequest('invalid intent message');
  return message as IntentMessage;
}

export function checkTimeRange(state: OperatorState, message: IntentMessage): void {
  const { valid_at: from = 0, expire_at: until = 0 } = message;
  const now = state.clock.now();
  const fail = (text: string) =>
    refusal('INVALID_INTENT_TIMERANGE', text, {
      expire_at: floatText(until),
      now: floatText(now),
      valid_at: floatText(from),
    });
  if (until > 0 && now > until) throw fail('proof of ownership expired');
  if (from > 0 && now < from) throw fail('proof of ownership not yet valid');
}

export function invalidProof(intent: SignedIntent, text: string): OperatorError {
  return refusal('INVALID_INTENT_PROOF', text, { message: intent.message, proof: intent.proof });
}

/** Takes a proof apart and ties it to its message; judges no signature yet. */
export function readProof(state: OperatorState, intent: SignedIntent): Proof {
  const twice = (text: string) => invalidProof(intent, `invalid intent proof: invalid intent proof: ${text}`);
  let psbt: Psbt;
  try {
    psbt = parsePsbt(intent.proof);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refusal('INVALID_INTENT_PSBT', `failed to parse proof: ${why}`, { tx: intent.proof });
  }
  if (psbt.inputsLength < 2) throw twice('missing inputs');
  const inputs: ProvenInput[] = [];
  for (let index = 1; index < psbt.inputsLength; index++) {
    const { witnessUtxo, sequence } = psbt.getInput(index);
    if (witnessUtxo === undefined) throw twice(`missing witness utxo for input ${index}`);
    const key = inputKey(psbt, index);
    const coin = state.coins.get(key);
    const spending = soleLeaf(psbt, index);
    const leaf = spending === null ? null : leafFor(coin, spending);
    if (spending === null || leaf === null) throw twice(`missing or unknown tapscript leaf for input ${index}`);
    if (!leafBelongs(spending.proof, witnessUtxo.script))
      throw twice(`control block does not match the script of input ${index}`);
    if (inputs.some((input) => input.key === key)) throw twice(`duplicated input ${key}`);
    inputs.push({ key, index, coin, leaf, prevout: witnessUtxo, sequence: sequence ?? 0xffffffff });
  }
  const first = inputs[0] as ProvenInput;
  if (inputKey(psbt, 0) !== `${toSpendTxid(intent.message, first.prevout.script)}:0`)
    throw twice('wrong tx hash in message input');
  const spending = soleLeaf(psbt, 0);
  const lead = spending === null ? null : leafFor(first.coin, spending);
  if (spending === null || lead === null || !leafBelongs(spending.proof, first.prevout.script))
    throw twice('missing or unknown tapscript leaf for input 0');
  return { txid: psbt.id, psbt, lead, inputs, outputs: outputsOf(psbt) };
}

function leafFor(coin: Coin | undefined, { leaf, proof }: NonNullable<ReturnType<typeof soleLeaf>>): Leaf | null {
  return coin !== undefined && isNote(coin) ? noteLeafOf(proof[1].subarray(0, -1)) : leaf;
}

/**
 * Every key of every revealed leaf but the operator's has signed, and every condition holds. Which leaf it is, and its
 * timelocks, are not judged: whoever can sign any leaf of a coin may speak for it.
 */
export function checkProofSignatures(state: OperatorState, intent: SignedIntent, proof: Proof): void {
  const twice = (text: string) => invalidProof(intent, `invalid intent proof: invalid intent proof: ${text}`);
  const first = proof.inputs[0] as ProvenInput;
  const prevouts = [{ script: first.prevout.script, amount: 0n }, ...proof.inputs.map((input) => input.prevout)];
  for (const { index, leaf, witness } of [
    { index: 0, leaf: proof.lead, witness: conditionWitnessOf(proof.psbt, 1) },
    ...proof.inputs.map((input) => ({
      index: input.index,
      leaf: input.leaf,
      witness: conditionWitnessOf(proof.psbt, input.index),
    })),
  ]) {
    const unmet = leaf.condition === null ? null : conditionFailure(leaf.condition, witness);
    if (unmet !== null) throw twice(unmet);
    const keys = state.signers.others(leaf.keys);
    const unsigned = unsignedKey(proof.psbt, index, leaf, prevouts, keys, [SigHash.DEFAULT, SigHash.ALL]);
    if (unsigned === null) continue;
    const what = unsigned.why === 'missing' ? 'missing signature for' : 'invalid signature for';
    throw twice(`${what} ${toHex(unsigned.key)}`);
  }
}

/** The coins that a get or delete proof speaks for; unknown coins are left out. */
export function provenCoins(state: OperatorState, intent: SignedIntent, type: string): { coins: Coin[]; proof: Proof } {
  checkTimeRange(state, readMessage(intent, type));
  const proof = readProof(state, intent);
  checkProofSignatures(state, intent, proof);
  const coins = proof.inputs.flatMap(({ coin, prevout }) => {
    if (coin === undefined) return [];
    if (coin.script !== toHex(prevout.script))
      throw invalidProof(intent, 'invalid intent proof: witness utxo script mismatch');
    return [coin];
  });
  return { coins, proof };
}

/** The id of the virtual transaction that carries the message and that input 0 spends. */
function toSpendTxid(message: string, pkScript: Uint8Array): string {
  const hash = schnorr.utils.taggedHash('ark-intent-proof-message', new TextEncoder().encode(message));
  const bytes = Uint8Array.of(
    ...[0, 0, 0, 0, 1],
    ...new Uint8Array(32),
    ...[0xff, 0xff, 0xff, 0xff],
    ...[34, 0x00, 32, ...hash],
    ...[0, 0, 0, 0],
    ...[1, 0, 0, 0, 0, 0, 0, 0, 0],
    ...[pkScript.length, ...pkScript],
    ...[0, 0, 0, 0],
  );
  return toHex(sha256(sha256(bytes)).reverse());
}
