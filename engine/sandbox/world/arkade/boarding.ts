import { toHex } from '../../../domain/hex.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { refusal } from './errors.ts';
import {
  type Output,
  type Psbt,
  leafSignature,
  outpointOf,
  parsePsbt,
  replaceSignatures,
  tapTreeOf,
  unsignedKey,
} from './psbt.ts';
import type { Proof, ProvenInput } from './proof.ts';
import { type Leaf, type TapLeafScript, checkScript } from './script.ts';
import { delayOf } from './settings.ts';
import type { KeyPair } from './key-pair.ts';
import type { OperatorState } from './state.ts';
import { witnessOf } from './unroll.ts';

/** A coin on the chain that goes on board: its owner signs the commitment transaction, which spends it. */
export interface BoardingInput {
  readonly key: string;
  readonly outpoint: Outpoint;
  readonly prevout: Output;
  readonly leaf: Leaf;
  readonly proof: TapLeafScript;
}

/**
 * An input that is no virtual coin must be a confirmed one of the chain, under a script of the operator's whose exit is
 * not open yet: from then on its owner could take it back under the batch.
 */
export function readBoarding(state: OperatorState, proof: Proof, input: ProvenInput, intentId: string): BoardingInput {
  const { key, prevout, index } = input;
  const bad = (text: string) =>
    refusal('INVALID_PSBT_INPUT', `failed to validate boarding input: ${text}`, {
      input_index: String(index - 1),
      txid: intentId,
    });
  const outpoint = outpointOf(proof.psbt, index) as Outpoint;
  const coin = state.chain?.coin(outpoint);
  if (coin === undefined)
    throw bad(`failed to get tx ${outpoint.txid}: rpc error: code = Unknown desc = transaction not found`);
  if (coin.height === null) throw bad(`tx ${outpoint.txid} not confirmed`);
  if (prevout.amount !== coin.amount || toHex(prevout.script) !== toHex(coin.script))
    throw bad('witness utxo mismatch');
  const tree = tapTreeOf(proof.psbt, index);
  if (tree === null || toHex(tree.pkScript) !== toHex(coin.script)) throw bad('missing or invalid taptree');
  const { boardingExitDelay } = state.settings;
  checkScript(tree, {
    signers: state.signers.valid(state.clock.now()).map(({ xOnly }) => xOnly),
    exitDelay: delayOf(boardingExitDelay),
  });
  if (input.leaf.delay !== null || input.leaf.locktime !== null || input.leaf.condition !== null)
    throw bad('invalid leaf, only the collaborative one goes on board');
  const minedAt = state.chain?.at(coin.height)?.time ?? 0;
  if (boardingExitDelay >= 512 && minedAt + boardingExitDelay <= state.clock.mtp())
    throw bad(`tx ${outpoint.txid} expired`);
  const [spending] = proof.psbt.getInput(index).tapLeafScript ?? [];
  return { key, outpoint, prevout, leaf: input.leaf, proof: spending as TapLeafScript };
}

/** Whether the coin still lies there, in a block and unspent. */
export function stillAshore(state: OperatorState, { outpoint }: BoardingInput): boolean {
  const coin = state.chain?.coin(outpoint);
  return coin !== undefined && coin.height !== null;
}

/**
 * The owners' signatures on a commitment transaction, by boarding coin, in a PSBT of theirs; what is not theirs is left
 * alone.
 */
export function readBoardingSignatures(
  state: OperatorState,
  text: string,
  commitment: Psbt,
  boarding: readonly BoardingInput[],
): { readonly signed: ReadonlyMap<string, Psbt>; readonly invalid: boolean } {
  let tx: Psbt;
  try {
    tx = parsePsbt(text);
  } catch (cause) {
    throw refusal(
      'INTERNAL_ERROR',
      `failed to parse signed commitment tx: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  if (tx.id !== commitment.id)
    throw refusal('INTERNAL_ERROR', `invalid commitment tx: expected txid ${commitment.id}, got ${tx.id}`);
  const prevouts = prevoutsOf(commitment);
  const signed = new Map<string, Psbt>();
  let invalid = false;
  for (const input of boarding) {
    const index = indexOf(commitment, input);
    const unsigned = unsignedKey(tx, index, input.leaf, prevouts, state.signers.others(input.leaf.keys));
    if (unsigned === null) signed.set(input.key, tx);
    else if (unsigned.why === 'wrong') invalid = true;
  }
  return { signed, invalid };
}

/** Puts the owner's signatures and the operator's onto the input, and finishes it as the chain wants it. */
export function signBoarding(state: OperatorState, tx: Psbt, input: BoardingInput, theirs: Psbt): void {
  const index = indexOf(tx, input);
  const key = state.signers.own(input.leaf.keys) as KeyPair;
  const ours = leafSignature(tx, index, input.leaf, prevoutsOf(tx), key);
  const others = (theirs.getInput(index).tapScriptSig ?? []).filter(
    ([id]) => toHex(id.pubKey) !== toHex(key.xOnly) && toHex(id.leafHash) === toHex(input.leaf.hash),
  );
  tx.updateInput(index, { tapLeafScript: [input.proof] }, true);
  replaceSignatures(tx, index, [...others, ours]);
  tx.updateInput(index, { finalScriptWitness: witnessOf(tx, index) }, true);
}

function indexOf(tx: Psbt, { outpoint }: BoardingInput): number {
  for (let i = 0; i < tx.inputsLength; i++) {
    const at = outpointOf(tx, i);
    if (at?.txid === outpoint.txid && at.vout === outpoint.vout) return i;
  }
  throw new Error(`the commitment transaction does not spend ${outpoint.txid}:${outpoint.vout}`);
}

function prevoutsOf(tx: Psbt): Output[] {
  return Array.from(
    { length: tx.inputsLength },
    (_, i) => tx.getInput(i).witnessUtxo ?? { script: new Uint8Array(), amount: 0n },
  );
}
