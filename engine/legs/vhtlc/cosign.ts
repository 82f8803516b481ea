import { SigHash } from '@scure/btc-signer';
import { hex } from '@scure/base';
import type { PublicKey } from '../../domain/hash.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { proofMessage, readRegister, toSpendTxid } from './intent.ts';
import { arkTxid, checkpointOf, finalSequence } from './offchain.ts';
import type { Checkpoint } from './offchain.ts';
import type { CollabRefund, DelegateRefund, Vtxo } from './port.ts';
import type { Prevout, Tx } from './psbt.ts';
import { anchorScript, carriesOnly, outpointOf, readTx, signedBy, tapTreeFields } from './psbt.ts';
import { oversizedCollab, oversizedDelegate, tooMany } from './refund-size.ts';
import type { Leaf, VhtlcScript } from './script.ts';
import { vhtlcScript } from './script.ts';
import type { VhtlcTerms } from './terms.ts';

/**
 * What a provider checks before it signs a client's refund (arkade.md 1.11 g). A signature given away for anything but
 * this swap's own coins would spend coins of another swap; one over another leaf could skip a timelock. Whether the
 * swap may be refunded at all is the state machine's question: it fences the swap first.
 *
 * Every function here answers null, or one sentence that says why we do not sign.
 */
interface Checked {
  readonly terms: VhtlcTerms;
  /** Every coin that the indexer lists at the swap's script. */
  readonly coins: readonly Vtxo[];
}

/** A coin that the request may spend, and nothing else. */
function ownCoins({ terms, coins }: Checked): Map<string, Vtxo> {
  const { pkScript } = vhtlcScript(terms);
  return new Map(coins.filter((coin) => sameBytes(coin.script, pkScript)).map((coin) => [outpointKey(coin.outpoint), coin]));
}

/** What is wrong with an input that claims to spend one of the swap's coins by the refund leaf. */
function wrongCoinInput(tx: Tx, index: number, coin: Vtxo | undefined, script: VhtlcScript, what: string): string | null {
  const where = `input ${index} of ${what}`;
  if (!coin) return `${where} spends an output that is no coin of this swap`;
  if (coin.spent) return `${where} spends a coin that is spent already`;
  if (coin.unrolled) return `${where} spends a coin that left the operator for the chain`;
  return wrongPrevout(tx, index, { script: script.pkScript, amount: coin.amount }, where) ?? wrongLeaf(tx, index, script.leaf.refund, script.tapTree, where);
}

function wrongPrevout(tx: Tx, index: number, expected: Prevout, where: string): string | null {
  const told = tx.getInput(index).witnessUtxo;
  if (!told) return `${where} does not say what it spends: add its witness UTXO`;
  if (told.amount !== expected.amount) return `${where} says its coin holds ${told.amount} sats, the coin holds ${expected.amount}`;
  if (!sameBytes(told.script, expected.script)) return `${where} says that its coin has another script`;
  return null;
}

function wrongLeaf(tx: Tx, index: number, leaf: Leaf, tapTree: Uint8Array, where: string): string | null {
  if (!carriesOnly(tx, index, leaf)) return `${where} must carry the refund leaf with its control block and no other leaf`;
  if (tapTreeFields(tx, index).some((field) => !sameBytes(field, tapTree))) return `${where} carries a script tree that is not the coin's`;
  return null;
}

function wrongSighash(tx: Tx, index: number, allowed: readonly (number | undefined)[], where: string): string | null {
  const told = tx.getInput(index).sighashType;
  return allowed.includes(told) ? null : `${where} asks for sighash type ${told === undefined ? 'default' : `0x${told.toString(16)}`}, which is not signed here`;
}

function outputsOf(tx: Tx): Prevout[] | null {
  const outputs: Prevout[] = [];
  for (let i = 0; i < tx.outputsLength; i++) {
    const { script, amount } = tx.getOutput(i);
    if (!script || amount === undefined) return null;
    outputs.push({ script, amount });
  }
  return outputs;
}

function sum(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}

/**
 * Checks a collaborative refund in the Arkade way: one checkpoint per coin and one Arkade transaction over them.
 * `unrollScript` comes from our own reading of the operator's info, never from the client.
 */
export function checkCollabRefund(request: Checked & { readonly refund: CollabRefund; readonly unrollScript: Uint8Array }): string | null {
  const { terms, refund } = request;
  const oversized = oversizedCollab(refund);
  if (oversized) return oversized;
  const script = vhtlcScript(terms);
  const tx = readTx(refund.arkTx);
  if (!tx) return 'the Arkade transaction is not a PSBT';
  if (refund.checkpoints.length === 0) return 'a refund needs at least one checkpoint transaction';
  const own = ownCoins(request);
  const checkpoints = new Map<Txid, Checkpoint>();
  const spent = new Set<string>();
  for (const [n, bytes] of refund.checkpoints.entries()) {
    const what = `checkpoint ${n}`;
    const checkpoint = readTx(bytes);
    if (!checkpoint) return `${what} is not a PSBT`;
    if (checkpoint.inputsLength !== 1) return `${what} has ${checkpoint.inputsLength} inputs, it must have one`;
    const point = outpointOf(checkpoint, 0);
    const key = point ? outpointKey(point) : '';
    const coin = own.get(key);
    const wrong = wrongCoinInput(checkpoint, 0, coin, script, what);
    if (wrong || !coin) return wrong;
    if (coin.recoverable) return `the coin of ${what} expired and can only be refunded through a batch: use the delegate refund`;
    if (spent.has(key)) return `${what} spends a coin that another checkpoint spends already`;
    spent.add(key);
    const sighash = wrongSighash(checkpoint, 0, [undefined, SigHash.DEFAULT], what);
    if (sighash) return sighash;
    const expected = checkpointOf({ ...coin.outpoint, amount: coin.amount }, script.leaf.refund.script, request.unrollScript, 0);
    if (checkpoint.id !== expected.txid) return `${what} is not the transaction that this coin's refund has: its id is ${checkpoint.id}, expected ${expected.txid}`;
    if ((checkpoint.getInput(0).tapScriptSig ?? []).length > 0 && !signedBy(checkpoint, 0, [{ script: script.pkScript, amount: coin.amount }], script.leaf.refund, terms.sender, [SigHash.DEFAULT]))
      return `${what} carries signatures, but not a valid one of the sender`;
    checkpoints.set(expected.txid, expected);
  }
  return wrongArkTx(tx, terms, checkpoints);
}

function wrongArkTx(tx: Tx, terms: VhtlcTerms, checkpoints: ReadonlyMap<Txid, Checkpoint>): string | null {
  const what = 'the Arkade transaction';
  if (tx.inputsLength !== checkpoints.size) return `${what} has ${tx.inputsLength} inputs for ${checkpoints.size} checkpoints, each needs one`;
  const order: Checkpoint[] = [];
  for (let i = 0; i < tx.inputsLength; i++) {
    const point = outpointOf(tx, i);
    const checkpoint = point?.vout === 0 ? checkpoints.get(point.txid) : undefined;
    if (!checkpoint || order.includes(checkpoint)) return `input ${i} of ${what} does not spend a checkpoint of its own`;
    order.push(checkpoint);
  }
  const prevouts = order.map(({ prevout }) => prevout);
  for (const [i, checkpoint] of order.entries()) {
    const where = `input ${i} of ${what}`;
    const wrong =
      wrongPrevout(tx, i, checkpoint.prevout, where) ??
      wrongLeaf(tx, i, checkpoint.leaf, checkpoint.output.tapTree, where) ??
      wrongSighash(tx, i, [undefined, SigHash.DEFAULT], where);
    if (wrong) return wrong;
    if (!signedBy(tx, i, prevouts, checkpoint.leaf, terms.sender, [SigHash.DEFAULT])) return `${where} has no valid signature of the sender`;
  }
  const outputs = outputsOf(tx);
  const anchor = outputs?.at(-1);
  if (!outputs || !anchor || !sameBytes(anchor.script, anchorScript) || anchor.amount !== 0n) return `${what} must end in an anchor output of no value`;
  const paid = outputs.slice(0, -1);
  if (paid.length === 0) return `${what} pays nobody`;
  if (sum(paid) > sum(prevouts)) return `${what} pays ${sum(paid)} sats out of ${sum(prevouts)}`;
  const expected = arkTxid(order.map(({ txid }) => txid), paid, 0);
  return tx.id === expected ? null : `${what} is not built as the operator builds it: its id is ${tx.id}, expected ${expected}`;
}

/** The longest life of an intent that we sign: our signature must not lie around. */
const longestIntent = 600;
/** How far the clocks of two machines may differ. */
const clockSlack = 60;

/**
 * Checks a delegate refund: an intent that a batch executes, and one forfeit for every coin that still needs one.
 * `forfeitScript` and `dust` come from our own reading of the operator's info, `cosigner` is the key that we publish.
 */
export function checkDelegateRefund(
  request: Checked & {
    readonly refund: DelegateRefund;
    readonly forfeitScript: Uint8Array;
    readonly dust: Sats;
    readonly cosigner: PublicKey;
    readonly now: Unix;
  },
): string | null {
  const { terms, refund, now } = request;
  const own = ownCoins(request);
  const oversized = oversizedDelegate(refund, own.size);
  if (oversized) return oversized;
  const script = vhtlcScript(terms);
  const proof = readTx(refund.intentProof);
  if (!proof) return 'the intent proof is not a PSBT';
  const text = proofMessage(proof);
  if (text === null) return 'the intent proof does not carry its message in global field 0x09';
  const wrong = wrongMessage(text, request.cosigner, now) ?? wrongProofFrame(proof, script, text);
  if (wrong) return wrong;

  const crowded = tooMany(proof.inputsLength - 1, 'coins');
  if (crowded) return crowded;
  const coins = new Map<string, Vtxo>();
  const prevouts: Prevout[] = [{ script: script.pkScript, amount: 0n }];
  for (let i = 1; i < proof.inputsLength; i++) {
    const point = outpointOf(proof, i);
    const key = point ? outpointKey(point) : '';
    const coin = own.get(key);
    const bad = wrongCoinInput(proof, i, coin, script, 'the intent proof');
    if (bad || !coin) return bad;
    if (coins.has(key)) return `input ${i} of the intent proof repeats a coin`;
    coins.set(key, coin);
    prevouts.push({ script: script.pkScript, amount: coin.amount });
  }
  for (let i = 0; i < proof.inputsLength; i++) {
    const where = `input ${i} of the intent proof`;
    const bad = wrongSighash(proof, i, [SigHash.ALL], where);
    if (bad) return bad;
    if (proof.getInput(i).sequence !== finalSequence && !(i === 0 && proof.getInput(i).sequence === undefined)) return `${where} must have a final sequence`;
    if (!signedBy(proof, i, prevouts, script.leaf.refund, terms.sender, [SigHash.ALL])) return `${where} has no valid signature of the sender`;
  }
  const outputs = outputsOf(proof);
  if (!outputs || outputs.length === 0 || outputs.every(({ amount }) => amount === 0n)) return 'the intent proof pays nobody';
  if (sum(outputs) > sum(prevouts)) return `the intent proof pays ${sum(outputs)} sats out of ${sum(prevouts)}`;
  return wrongForfeits(refund.forfeits, coins, script, request);
}

function wrongMessage(text: string, cosigner: PublicKey, now: Unix): string | null {
  const message = readRegister(text);
  if (!message) return 'the message of the intent is not a register message in its usual form';
  if (message.onchain_output_indexes.length > 0) return 'the intent pays outputs on the chain: a refund stays on Arkade';
  if (message.cosigners_public_keys.length !== 1 || message.cosigners_public_keys[0] !== hex.encode(cosigner))
    return `the intent must name one cosigner, ${hex.encode(cosigner)}`;
  if (message.valid_at <= 0 || message.valid_at > now + clockSlack) return `the intent is valid at ${message.valid_at}, it must be valid now, at ${now}`;
  if (message.expire_at <= now || message.expire_at > now + longestIntent)
    return `the intent expires at ${message.expire_at}, it must expire after now, at ${now}, and within ${longestIntent} seconds`;
  return null;
}

function wrongProofFrame(proof: Tx, script: VhtlcScript, text: string): string | null {
  if (proof.version !== 2 || proof.lockTime !== 0) return 'the intent proof must have version 2 and no locktime';
  if (proof.inputsLength < 2) return 'the intent proof spends no coin';
  const first = outpointOf(proof, 0);
  if (first?.vout !== 0 || first.txid !== toSpendTxid(text, script.pkScript)) return 'input 0 of the intent proof does not commit to its message and to the script of this swap';
  const where = 'input 0 of the intent proof';
  return wrongPrevout(proof, 0, { script: script.pkScript, amount: 0n }, where) ?? wrongLeaf(proof, 0, script.leaf.refund, script.tapTree, where);
}

function wrongForfeits(
  forfeits: readonly Uint8Array[],
  coins: ReadonlyMap<string, Vtxo>,
  script: VhtlcScript,
  { terms, forfeitScript, dust }: { terms: VhtlcTerms; forfeitScript: Uint8Array; dust: Sats },
): string | null {
  const done = new Set<string>();
  for (const [n, bytes] of forfeits.entries()) {
    const what = `forfeit ${n}`;
    const tx = readTx(bytes);
    if (!tx) return `${what} is not a PSBT`;
    if (tx.version !== 3 || tx.lockTime !== 0) return `${what} must have version 3 and no locktime`;
    if (tx.inputsLength !== 1) return `${what} has ${tx.inputsLength} inputs, it must have one`;
    const point = outpointOf(tx, 0);
    const key = point ? outpointKey(point) : '';
    const coin = coins.get(key);
    if (!coin) return `${what} spends a coin that is not in the intent`;
    if (done.has(key)) return `${what} repeats a coin`;
    done.add(key);
    const wrong = wrongCoinInput(tx, 0, coin, script, what) ?? wrongSighash(tx, 0, [SigHash.ALL_ANYONECANPAY], what);
    if (wrong) return wrong;
    if (tx.getInput(0).sequence !== finalSequence) return `${what} must have a final sequence`;
    const outputs = outputsOf(tx);
    const [penalty, anchor] = outputs ?? [];
    if (!outputs || outputs.length !== 2 || !penalty || !anchor) return `${what} must have two outputs`;
    if (!sameBytes(penalty.script, forfeitScript)) return `${what} does not pay the operator's forfeit address`;
    if (penalty.amount !== coin.amount + dust) return `${what} pays ${penalty.amount} sats, expected ${coin.amount + dust}`;
    if (!sameBytes(anchor.script, anchorScript) || anchor.amount !== 0n) return `${what} must end in an anchor output of no value`;
    if (!signedBy(tx, 0, [{ script: script.pkScript, amount: coin.amount }], script.leaf.refund, terms.sender, [SigHash.ALL_ANYONECANPAY]))
      return `${what} has no valid signature of the sender`;
  }
  const missing = [...coins].find(([key, coin]) => !coin.recoverable && !done.has(key));
  return missing ? `the coin ${missing[0]} has no forfeit transaction` : null;
}
