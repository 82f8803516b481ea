import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { prevoutsOf, checkOutputs, checkSignaturesPresent, checkRebuilt, checkSignatures } from './ark-tx.ts';
import { type Checkpoint, rebuildCheckpoint, tapTreeField } from './checkpoint.ts';
import { type Coin, recoverable } from './coins.ts';
import { badInput, badRequest, floatText, OperatorError, refusal } from './errors.ts';
import {
  type Output,
  type Psbt,
  inputKey,
  leafSignature,
  outpointOf,
  outputsOf,
  parsePsbt,
  printPsbt,
  replaceSignatures,
} from './psbt.ts';
import type { Leaf } from './script.ts';
import type { KeyPair } from './key-pair.ts';
import { type OperatorState, checkBan, lockedUntil } from './state.ts';

export interface SubmitReply {
  readonly arkTxid: string;
  readonly finalArkTx: string;
  readonly signedCheckpointTxs: readonly string[];
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
  checkOutputs(state, arkTx, signedArkTx);
  checkSignaturesPresent(state, arkTx, checkpoints);
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

function accept(state: OperatorState, arkTx: Psbt, checkpoints: readonly Checkpoint[]): SubmitReply {
  const prevouts = prevoutsOf(checkpoints);
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
