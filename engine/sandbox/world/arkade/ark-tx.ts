import { Transaction } from '@arkade-os/sdk';
import { base64 } from '../../../adapters/arkade/base64.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { Checkpoint } from './checkpoint.ts';
import { badInput, refusal } from './errors.ts';
import { type Output, type Psbt, anchorScript, outputsOf, unmetCondition, unsignedKey } from './psbt.ts';
import { checkpointExitScript } from './settings.ts';
import type { OperatorState } from './state.ts';

export function checkOutputs(state: OperatorState, arkTx: Psbt, text: string): void {
  const { dust, vtxoMinAmount, vtxoMaxAmount, maxOpReturnOutputs, maxTxWeight } = state.settings;
  const outputs = outputsOf(arkTx);
  const anchors = outputs.filter(isAnchor).length;
  if (anchors > 1) throw refusal('MALFORMED_ARK_TX', `tx ${arkTx.id} has multiple anchor outputs`, { tx: text });
  const returns = outputs.filter((output) => output.script[0] === 0x6a).length;
  if (returns > maxOpReturnOutputs) {
    throw refusal('MALFORMED_ARK_TX', `tx has ${returns} OP_RETURN outputs, max ${maxOpReturnOutputs} are allowed`, {
      tx: text,
    });
  }
  outputs.forEach((output, i) => {
    if (
      isAnchor(output) ||
      (output.script[0] === 0x6a && (output.amount === 0n || (vtxoMinAmount < dust && output.amount < BigInt(dust))))
    )
      return;
    const metadata = (limit: string, value: number) => ({
      amount: String(output.amount),
      [limit]: String(value),
      output_index: String(i),
    });
    if (vtxoMaxAmount >= 0 && output.amount > BigInt(vtxoMaxAmount)) {
      const text_ = `output #${i} amount is higher than max vtxo amount: ${vtxoMaxAmount}`;
      throw refusal('AMOUNT_TOO_HIGH', text_, metadata('max_amount', vtxoMaxAmount));
    }
    const least = Math.max(vtxoMinAmount, dust);
    if (output.amount < BigInt(least)) {
      throw refusal(
        'AMOUNT_TOO_LOW',
        `output #${i} amount is lower than min vtxo amount: ${least}`,
        metadata('min_amount', least),
      );
    }
  });
  if (anchors === 0) throw refusal('MALFORMED_ARK_TX', `missing anchor output in ark tx ${arkTx.id}`, { tx: text });
  const weight = unsignedWeight(arkTx);
  if (weight > maxTxWeight)
    throw refusal('TX_TOO_LARGE', `ark tx weight ${weight} exceeds ${maxTxWeight}`, { tx: text });
}

function unsignedWeight(tx: Psbt): number {
  return outputsOf(tx).reduce((sum, output) => sum + 4 * (9 + output.script.length), 4 * (10 + 41 * tx.inputsLength));
}

export function checkSignaturesPresent(state: OperatorState, arkTx: Psbt, checkpoints: readonly Checkpoint[]): void {
  checkpoints.forEach((_, i) => {
    const signers = (arkTx.getInput(i).tapScriptSig ?? []).map(([id]) => id.pubKey);
    if (state.signers.others(signers).length > 0) return;
    throw badInput(arkTx, i, `missing tapscript spend sig in ark tx input ${i}`);
  });
}

/** The transaction and its checkpoints are those that the coins, their leaves and the outputs make. */
export function checkRebuilt(
  state: OperatorState,
  arkTx: Psbt,
  text: string,
  checkpoints: readonly Checkpoint[],
): void {
  const outputs = outputsOf(arkTx).filter((output) => !isAnchor(output));
  const sumIn = checkpoints.reduce((sum, { coin }) => sum + coin.amount, 0n);
  const sumOut = outputs.reduce((sum, output) => sum + output.amount, 0n);
  if (sumIn !== sumOut) {
    throw refusal('INTERNAL_ERROR', 'failed to rebuild ark transaction: input amount is not equal to output amount', {
      ark_tx: text,
      checkpoint_tapscript: base64.encode(checkpointExitScript(state.settings, state.keys)),
      ins: `[${checkpoints.map(({ coin }) => outpointKey(coin)).join(' ')}]`,
      outputs: `[${outputs.map((output) => `map[PkScript:${base64.encode(output.script)} Value:${output.amount}]`).join(' ')}]`,
    });
  }
  for (const { given, rebuilt } of checkpoints) {
    if (given.id === rebuilt.id) continue;
    throw refusal('CHECKPOINT_MISMATCH', `invalid checkpoint txs: ${given.id} not found`, {
      expected_txid: rebuilt.id,
    });
  }
  const rebuiltId = rebuild(checkpoints, outputs).id;
  if (arkTx.id === rebuiltId) return;
  const metadata = { expected_txid: rebuiltId, got_txid: arkTx.id };
  throw refusal('ARK_TX_MISMATCH', `expected tx ${arkTx.id}, got ${rebuiltId}`, metadata);
}

function rebuild(checkpoints: readonly Checkpoint[], outputs: readonly Output[]): Psbt {
  const locktime = checkpoints.reduce(
    (most, { leaf }) => (leaf.locktime !== null && leaf.locktime > most ? leaf.locktime : most),
    0n,
  );
  const rebuilt = new Transaction({ version: 3, lockTime: Number(locktime) });
  for (const { rebuilt: checkpoint } of checkpoints) {
    rebuilt.addInput({ txid: checkpoint.id, index: 0, sequence: locktime === 0n ? 0xffffffff : 0xfffffffe });
  }
  for (const output of outputs) rebuilt.addOutput({ script: output.script, amount: output.amount });
  rebuilt.addOutput({ script: anchorScript, amount: 0n });
  return rebuilt;
}

export function checkSignatures(
  state: OperatorState,
  arkTx: Psbt,
  text: string,
  checkpoints: readonly Checkpoint[],
): void {
  const prevouts = prevoutsOf(checkpoints);
  checkpoints.forEach(({ leaf }, i) => {
    const unmet = unmetCondition(arkTx, i, leaf);
    if (unmet === null && unsignedKey(arkTx, i, leaf, prevouts, state.signers.others(leaf.keys)) === null) return;
    throw refusal('INVALID_SIGNATURE', `invalid signature in ark tx ${arkTx.id}`, { tx: text });
  });
}

/** What the inputs of an Arkade transaction spend: the outputs of its checkpoints. */
export function prevoutsOf(checkpoints: readonly Checkpoint[]): Output[] {
  return checkpoints.map(({ coin, output }) => ({ script: output.pkScript, amount: coin.amount }));
}

function isAnchor(output: Output): boolean {
  return sameBytes(output.script, anchorScript);
}
