import { ArkPsbtFieldKeyType, TapTreeCoder, Transaction } from '@arkade-os/sdk';
import { base64 } from '@scure/base';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { type Coin, recoverable } from './coins.ts';
import { badRequest, floatText, OperatorError, refusal } from './errors.ts';
import {
  type Output,
  type Psbt,
  anchorScript,
  inputKey,
  leafSignature,
  outpointOf,
  outputsOf,
  parsePsbt,
  printPsbt,
  replaceSignatures,
  soleLeaf,
  tapTreeOf,
  unmetCondition,
  unsignedKey,
} from './psbt.ts';
import { type CoinScript, type Leaf, checkScript, coinScriptOf } from './script.ts';
import { type KeyPair, checkpointExitScript } from './settings.ts';
import { type OperatorState, checkBan, lockedUntil, scriptRules } from './state.ts';

export interface SubmitReply {
  readonly arkTxid: string;
  readonly finalArkTx: string;
  readonly signedCheckpointTxs: readonly string[];
}

/** A checkpoint as it must be: rebuilt from the coin and the leaf that spends it. */
interface Checkpoint {
  readonly coin: Coin;
  readonly leaf: Leaf;
  readonly given: Psbt;
  readonly rebuilt: Psbt;
  /** The coin's own script, and that of the checkpoint's output. */
  readonly tree: CoinScript;
  readonly output: CoinScript;
}

/** Takes an ark transaction with its checkpoints; marks its coins spent, makes no outputs yet. */
export function submit(state: OperatorState, signedArkTx: string, checkpointTxs: readonly string[]): SubmitReply {
  if (signedArkTx === '') throw badRequest('missing signed ark tx');
  if (checkpointTxs.length === 0) throw badRequest('missing checkpoint txs');
  const arkTx = parse(signedArkTx);
  const givens = new Map(checkpointTxs.map((text) => [text, parse(text)] as const).map(([, tx]) => [tx.id, tx]));
  if (state.txs.get(arkTx.id) !== undefined) {
    throw refusal('INVALID_ARK_PSBT', `duplicated offchain tx ${arkTx.id}`, { tx: signedArkTx });
  }
  const ordered = pairCheckpoints(arkTx, givens);
  const coins = spentCoins(state, ordered);
  const checkpoints = ordered.map((given, i) => rebuildCheckpoint(state, given, coins[i] as Coin));
  checkTimelocks(state, checkpoints);
  checkArkOutputs(state, arkTx, signedArkTx);
  checkArkSignaturesPresent(state, arkTx, checkpoints);
  checkRebuilt(state, arkTx, signedArkTx, checkpoints);
  checkSignatures(state, arkTx, signedArkTx, checkpoints);
  return accept(state, arkTx, checkpoints);
}

function parse(text: string): Psbt {
  try {
    const tx = parsePsbt(text);
    if (tx.inputsLength === 0) throw new Error('no inputs');
    return tx;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refusal('INVALID_ARK_PSBT', `failed to parse tx: ${why}`, { tx: text });
  }
}

function badInput(tx: Psbt, index: number, text: string): OperatorError {
  return refusal('INVALID_PSBT_INPUT', text, { input_index: String(index), txid: tx.id });
}

/** The checkpoint of each ark input, in the order of the inputs; none twice, none over a coin that another spends. */
function pairCheckpoints(arkTx: Psbt, givens: ReadonlyMap<string, Psbt>): Psbt[] {
  const seen = new Set<string>();
  for (const given of givens.values()) {
    const key = inputKey(given, 0);
    if (given.inputsLength !== 1 || key === '')
      throw badInput(given, 0, `checkpoint must have one input, got ${given.inputsLength}`);
    if (seen.has(key)) throw badInput(given, 0, `duplicated vtxo input ${key}`);
    seen.add(key);
  }
  return Array.from({ length: arkTx.inputsLength }, (_, i) => {
    const point = outpointOf(arkTx, i);
    const given = point?.vout === 0 ? givens.get(point.txid) : undefined;
    if (given === undefined) throw new OperatorError(2, 'INTERNAL_ERROR (0): something went wrong');
    return given;
  });
}

function spentCoins(state: OperatorState, checkpoints: readonly Psbt[]): Coin[] {
  const keys = checkpoints.map((tx) => inputKey(tx, 0));
  const coins = keys.flatMap((key) => state.coins.get(key) ?? []);
  if (coins.length < keys.length) {
    const got = coins.map(outpointKey).join(' ');
    throw refusal('VTXO_NOT_FOUND', 'some vtxos not found', {
      got_vtxos: `[${got}]`,
      vtxo_outpoints: `[${keys.join(' ')}]`,
    });
  }
  for (const coin of coins) {
    const key = outpointKey(coin);
    const metadata = { vtxo_outpoint: key };
    checkBan(state, coin);
    if (coin.spent) throw refusal('VTXO_ALREADY_SPENT', `${key} already spent`, metadata);
    if (state.registered.has(key)) throw refusal('VTXO_ALREADY_REGISTERED', `${key} already registered`, metadata);
    if (coin.unrolled) throw refusal('VTXO_ALREADY_UNROLLED', `${key} already unrolled`, metadata);
    if (recoverable(coin, state.clock.now())) throw refusal('VTXO_RECOVERABLE', `${key} is recoverable`, metadata);
  }
  return coins;
}

function rebuildCheckpoint(state: OperatorState, given: Psbt, coin: Coin): Checkpoint {
  const { witnessUtxo } = given.getInput(0);
  if (witnessUtxo === undefined) throw badInput(given, 0, 'missing witness utxo');
  if (witnessUtxo.amount !== coin.amount) {
    throw badInput(given, 0, `witness utxo value mismatch: expected ${coin.amount}, got ${witnessUtxo.amount}`);
  }
  if (toHex(witnessUtxo.script) !== coin.script) {
    throw badInput(given, 0, `witness utxo script mismatch: expected ${coin.script}, got ${toHex(witnessUtxo.script)}`);
  }
  const spending = soleLeaf(given, 0);
  if (spending === null) throw badInput(given, 0, 'expected exactly one taproot leaf script');
  const tree = tapTreeOf(given, 0);
  if (tree === null) throw badInput(given, 0, 'missing or invalid taptree');
  checkScript(tree, scriptRules(state));
  if (toHex(tree.pkScript) !== coin.script) {
    throw badInput(given, 0, `expected ${coin.script.slice(4)}, got ${toHex(tree.pkScript.subarray(2))}`);
  }
  const { leaf, proof } = spending;
  if (leaf === null || leaf.delay !== null) {
    throw badInput(given, 0, `invalid spending tapscript on input 0: ${toHex(proof[1].subarray(0, -1))}`);
  }
  const treeProof = tree.proofs.get(toHex(leaf.hash));
  if (treeProof === undefined || !sameProof(treeProof, proof))
    throw badInput(given, 0, 'tap leaf is not part of the taptree');

  const output = coinScriptOf([checkpointExitScript(state.settings, state.keys), leaf.script]);
  const rebuilt = new Transaction({ version: 3, lockTime: Number(leaf.locktime ?? 0n) });
  rebuilt.addInput({
    txid: coin.txid,
    index: coin.vout,
    sequence: leaf.locktime === null ? 0xffffffff : 0xfffffffe,
    witnessUtxo: { script: tree.pkScript, amount: coin.amount },
    tapLeafScript: [treeProof],
  });
  rebuilt.addOutput({ script: output.pkScript, amount: coin.amount });
  rebuilt.addOutput({ script: anchorScript, amount: 0n });
  return { coin, leaf, given, rebuilt, tree, output };
}

type Proof = CoinScript['proofs'] extends ReadonlyMap<string, infer P> ? P : never;

function sameProof(a: Proof, b: Proof): boolean {
  return (
    sameBytes(a[0].internalKey, b[0].internalKey) &&
    sameBytes(a[1], b[1]) &&
    a[0].merklePath.length === b[0].merklePath.length &&
    a[0].merklePath.every((node, i) => sameBytes(node, b[0].merklePath[i] ?? new Uint8Array()))
  );
}

function tapTreeField(tree: CoinScript): [{ type: number; key: Uint8Array }, Uint8Array] {
  const encoded = TapTreeCoder.encode(tree.scripts.map((script) => ({ depth: 1, version: 0xc0, script })));
  return [{ type: ArkPsbtFieldKeyType, key: new TextEncoder().encode('taptree') }, encoded];
}

function checkTimelocks(state: OperatorState, checkpoints: readonly Checkpoint[]): void {
  for (const { leaf } of checkpoints) {
    if (leaf.locktime === null) continue;
    const lock = lockedUntil(state, leaf.locktime);
    if (lock === null) continue;
    const what = lock.type === 'time' ? 'blocktime' : 'blockheight';
    throw refusal('FORFEIT_CLOSURE_LOCKED', `${leaf.locktime} > ${lock.current} (${what})`, {
      current_locktime: floatText(lock.current),
      locktime: floatText(Number(leaf.locktime)),
      type: lock.type,
    });
  }
}

function checkArkOutputs(state: OperatorState, arkTx: Psbt, text: string): void {
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

function isAnchor(output: Output): boolean {
  return sameBytes(output.script, anchorScript);
}

function checkArkSignaturesPresent(state: OperatorState, arkTx: Psbt, checkpoints: readonly Checkpoint[]): void {
  checkpoints.forEach((_, i) => {
    const signers = (arkTx.getInput(i).tapScriptSig ?? []).map(([id]) => id.pubKey);
    if (state.signers.others(signers).length > 0) return;
    throw badInput(arkTx, i, `missing tapscript spend sig in ark tx input ${i}`);
  });
}

function checkRebuilt(state: OperatorState, arkTx: Psbt, text: string, checkpoints: readonly Checkpoint[]): void {
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
  const rebuiltId = rebuildArkTx(checkpoints, outputs).id;
  if (arkTx.id === rebuiltId) return;
  const metadata = { expected_txid: rebuiltId, got_txid: arkTx.id };
  throw refusal('ARK_TX_MISMATCH', `expected tx ${arkTx.id}, got ${rebuiltId}`, metadata);
}

function rebuildArkTx(checkpoints: readonly Checkpoint[], outputs: readonly Output[]): Psbt {
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

function arkPrevouts(checkpoints: readonly Checkpoint[]): Output[] {
  return checkpoints.map(({ coin, output }) => ({ script: output.pkScript, amount: coin.amount }));
}

function checkSignatures(state: OperatorState, arkTx: Psbt, text: string, checkpoints: readonly Checkpoint[]): void {
  const prevouts = arkPrevouts(checkpoints);
  checkpoints.forEach(({ leaf }, i) => {
    const unmet = unmetCondition(arkTx, i, leaf);
    if (unmet === null && unsignedKey(arkTx, i, leaf, prevouts, state.signers.others(leaf.keys)) === null) return;
    throw refusal('INVALID_SIGNATURE', `invalid signature in ark tx ${arkTx.id}`, { tx: text });
  });
}

function accept(state: OperatorState, arkTx: Psbt, checkpoints: readonly Checkpoint[]): SubmitReply {
  const prevouts = arkPrevouts(checkpoints);
  const signed = checkpoints.map(({ coin, leaf, tree, rebuilt }, i) => {
    const signer = state.signers.own(leaf.keys) as KeyPair;
    signArkInput(arkTx, i, leaf, prevouts, signer);
    const own = leafSignature(rebuilt, 0, leaf, [{ script: tree.pkScript, amount: coin.amount }], signer);
    // Adding an input drops its unknown fields; updating it keeps them.
    rebuilt.updateInput(0, { unknown: [tapTreeField(tree)], tapScriptSig: [own] });
    return {
      txid: rebuilt.id,
      psbt: printPsbt(rebuilt),
      spends: outpointKey(coin),
      leaf: toHex(leaf.script),
      signature: toHex(own[1]),
    };
  });
  const arkTxid = arkTx.id;
  const finalArkTx = printPsbt(arkTx);
  const outputs = outputsOf(arkTx).map(({ script, amount }) => ({ script: toHex(script), amount: amount.toString() }));
  state.journal.atomically(() => {
    state.txs.put({
      txid: arkTxid,
      state: 'accepted',
      arkTx: finalArkTx,
      outputs,
      checkpoints: signed,
      acceptedAt: state.clock.now(),
    });
    for (const { spends, txid } of signed) state.coins.change(spends, { spent: true, spentBy: txid, arkTxid });
  });
  return { arkTxid, finalArkTx, signedCheckpointTxs: signed.map(({ psbt }) => psbt).reverse() };
}

/** Adds the operator's signature, in place of any that the client made up, and the output that is really spent. */
function signArkInput(arkTx: Psbt, index: number, leaf: Leaf, prevouts: readonly Output[], signer: KeyPair): void {
  const given = arkTx.getInput(index).tapScriptSig ?? [];
  const others = given.filter(([id]) => !sameBytes(id.pubKey, signer.xOnly));
  if (others.length < given.length) replaceSignatures(arkTx, index, others);
  const own = leafSignature(arkTx, index, leaf, prevouts, signer);
  arkTx.updateInput(index, { witnessUtxo: prevouts[index] as Output, tapScriptSig: [own] }, true);
}
