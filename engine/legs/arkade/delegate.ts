import { SigHash } from '@scure/btc-signer';
import { hex } from '@scure/base';
import type { Hash160, PublicKey } from '../../domain/hash.ts';
import { asHash160, sameBytes } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { proofMessage, readRegister, toSpendTxid } from './intent.ts';
import {
  outputsOf,
  ownCoins,
  sum,
  wrongCoinInput,
  wrongLeaf,
  wrongPrevout,
  wrongSighash,
  type Checked,
} from './judge.ts';
import { finalSequence, lockedSequence } from './offchain.ts';
import type { DelegateRefund, DelegateSettle } from './refund-request.ts';
import type { Vtxo } from './vtxo.ts';
import type { Prevout, Tx } from '../psbt.ts';
import { anchorScript, carriesOnly, conditionItems, outpointOf, readTx, signedBy, tapTreeFields } from '../psbt.ts';
import { oversizedDelegate, tooMany } from './refund-size.ts';
import type { VhtlcLeaf, VhtlcScript } from './script.ts';
import { decodeTapTree } from '../tapscript.ts';
import { hash160, leafSigners, vhtlcScript } from './script.ts';

/** The longest life of an intent that we sign: our signature must not lie around. */
const longestIntent = 600;
/** How far the clocks of two machines may differ. */
const clockSlack = 60;

/**
 * `forfeitScript` and `dust` come from our own reading of the operator's info, `cosigner` is the key that we publish.
 */
interface Request extends Checked {
  readonly forfeitScript: Uint8Array;
  readonly dust: Sats;
  readonly cosigner: PublicKey;
  readonly now: Unix;
}

/** By which leaf the coins are spent, whose signatures must be there, and what sequences the leaf allows. */
interface By {
  readonly script: VhtlcScript;
  readonly leaf: VhtlcLeaf;
  readonly signers: readonly { readonly key: Uint8Array; readonly name: string }[];
  readonly sequences: readonly number[];
  /** The HASH160 whose preimage must come along. */
  readonly hash: Uint8Array | null;
}

/**
 * Checks a delegate refund that we are to sign: an intent that a batch executes, and one forfeit for every coin that
 * still needs one.
 */
export function checkDelegateRefund(request: Request & { readonly refund: DelegateRefund }): string | null {
  const { terms, refund } = request;
  const by: By = {
    script: vhtlcScript(terms),
    leaf: 'refund',
    signers: [{ key: terms.sender, name: 'the sender' }],
    sequences: [finalSequence],
    hash: null,
  };
  return wrongDelegate(refund, by, request);
}

/** The leaves by which a batch takes a coin for a client. */
const settleLeaves = ['refund', 'claim', 'refund-without-receiver'] as const satisfies readonly VhtlcLeaf[];
type SettleLeaf = (typeof settleLeaves)[number];

/** The leaf that the first coin of an intent is spent by; null when it is none by which a batch takes a coin. */
function settleLeafOf(intentProof: Uint8Array, terms: Checked['terms']): SettleLeaf | null {
  const proof = readTx(intentProof);
  const script = vhtlcScript(terms);
  return proof === null || proof.inputsLength < 2
    ? null
    : (settleLeaves.find((leaf) => carriesOnly(proof, 1, script.leaf[leaf])) ?? null);
}

/** The script of the first coin of an intent, as the proof says; null when it does not. */
export function coinScriptIn(intentProof: Uint8Array): Uint8Array | null {
  const proof = readTx(intentProof);
  return proof === null || proof.inputsLength < 2 ? null : (proof.getInput(1).witnessUtxo?.script ?? null);
}

/**
 * The HASH160 in the claim leaf of the first coin of an intent, by the script tree that the proof carries; null when it
 * carries none.
 */
export function claimHashIn(intentProof: Uint8Array): Hash160 | null {
  const proof = readTx(intentProof);
  const [tree] = proof === null || proof.inputsLength < 2 ? [] : tapTreeFields(proof, 1);
  const [claim] = (tree && decodeTapTree(tree)) ?? [];
  const start = claimStarts.find((bytes) => claim !== undefined && sameBytes(claim.subarray(0, bytes.length), bytes));
  return claim !== undefined && start !== undefined && claim.length > start.length + 20
    ? asHash160(claim.slice(start.length, start.length + 20))
    : null;
}

/** SIZE 32 EQUALVERIFY where the form has it, HASH160, then the hash (facts/arkade.md 8). */
const claimStarts = ['82012088a914', 'a914'].map(fromHex);

/**
 * Checks what we are asked to bring into a batch in our name: that every signature which the operator will want is
 * there, for what a stranger left out would fail in a round of everybody, and its patience with us would pay for it.
 */
export function checkDelegateSettle(
  request: Request & { readonly settle: DelegateSettle; readonly mtp: Unix | null },
): string | null {
  const { terms, settle, mtp } = request;
  const oversized = oversizedDelegate(settle, ownCoins(request).size);
  if (oversized) return oversized;
  const proof = readTx(settle.intentProof);
  if (!proof) return 'the intent proof is not a PSBT';
  if (proofMessage(proof) !== settle.message)
    return 'the message is not the register message that the intent proof was signed for';
  const wrongText = wrongMessage(settle.message, request.cosigner, request.now);
  if (wrongText) return wrongText;
  const leaf = settleLeafOf(settle.intentProof, terms);
  if (leaf === null)
    return (
      'input 1 of the intent proof must carry the refund, the claim or the refund-without-receiver leaf of this ' +
      'swap, and no other leaf'
    );
  const names = new Map([
    [hex.encode(terms.sender), 'the sender'],
    [hex.encode(terms.receiver), 'the receiver'],
  ]);
  const signers = leafSigners(terms, leaf)
    .map((key) => ({ key, name: names.get(hex.encode(key)) ?? '' }))
    .filter(({ key }) => !sameBytes(key, terms.operator));
  const by: By = {
    script: vhtlcScript(terms),
    leaf,
    signers,
    sequences: [finalSequence, lockedSequence],
    hash: leaf === 'claim' ? terms.hash : null,
  };
  const wrong = wrongDelegate(settle, by, request);
  if (wrong !== null || leaf !== 'refund-without-receiver') return wrong;
  // The operator would take it earlier from an expired coin, and we would help to break our own terms (facts/arkade.md
  // 27).
  if (mtp === null || mtp < terms.refundLocktime)
    return `the coin is locked until ${terms.refundLocktime} by median time past, which is ${mtp ?? 'unread'}`;
  const used = new Set(
    Array.from({ length: proof.inputsLength - 1 }, (_, i) => outpointOf(proof, i + 1)).map((point) =>
      point ? outpointKey(point) : '',
    ),
  );
  const live = request.coins.find((coin) => used.has(outpointKey(coin.outpoint)) && !coin.recoverable);
  return live === undefined
    ? null
    : `the coin ${outpointKey(live.outpoint)} has not expired: no batch takes it by the refund-without-receiver ` +
        'leaf, refund it by a transaction';
}

function wrongDelegate(refund: DelegateRefund, by: By, request: Request): string | null {
  const { script, leaf } = by;
  const own = ownCoins(request);
  const oversized = oversizedDelegate(refund, own.size);
  if (oversized) return oversized;
  const proof = readTx(refund.intentProof);
  if (!proof) return 'the intent proof is not a PSBT';
  const text = proofMessage(proof);
  if (text === null) return 'the intent proof does not carry its message in global field 0x09';
  const wrong = wrongMessage(text, request.cosigner, request.now) ?? wrongProofFrame(proof, by, text);
  if (wrong) return wrong;

  const crowded = tooMany(proof.inputsLength - 1, 'coins');
  if (crowded) return crowded;
  const coins = new Map<string, Vtxo>();
  const prevouts: Prevout[] = [{ script: script.pkScript, amount: 0n }];
  for (let i = 1; i < proof.inputsLength; i++) {
    const point = outpointOf(proof, i);
    const key = point ? outpointKey(point) : '';
    const coin = own.get(key);
    const bad =
      wrongCoinInput(proof, i, coin, by, 'the intent proof') ??
      wrongCondition(proof, i, by, `input ${i} of the intent proof`);
    if (bad || !coin) return bad;
    if (coins.has(key)) return `input ${i} of the intent proof repeats a coin`;
    coins.set(key, coin);
    prevouts.push({ script: script.pkScript, amount: coin.amount });
  }
  for (let i = 0; i < proof.inputsLength; i++) {
    const where = `input ${i} of the intent proof`;
    const bad = wrongSighash(proof, i, [SigHash.ALL], where);
    if (bad) return bad;
    const { sequence } = proof.getInput(i);
    if (!(sequence === undefined ? i === 0 : by.sequences.includes(sequence)))
      return `${where} must have a final sequence`;
    const missing = by.signers.find(({ key }) => !signedBy(proof, i, prevouts, script.leaf[leaf], key, [SigHash.ALL]));
    if (missing) return `${where} has no valid signature of ${missing.name}`;
  }
  const outputs = outputsOf(proof);
  if (!outputs || outputs.length === 0 || outputs.every(({ amount }) => amount === 0n))
    return 'the intent proof pays nobody';
  if (sum(outputs) > sum(prevouts)) return `the intent proof pays ${sum(outputs)} sats out of ${sum(prevouts)}`;
  return wrongForfeits(refund.forfeits, coins, by, request);
}

function wrongMessage(text: string, cosigner: PublicKey, now: Unix): string | null {
  const message = readRegister(text);
  if (!message) return 'the message of the intent is not a register message in its usual form';
  if (message.onchain_output_indexes.length > 0)
    return 'the intent pays outputs on the chain: a refund stays on Arkade';
  if (message.cosigners_public_keys.length !== 1 || message.cosigners_public_keys[0] !== hex.encode(cosigner))
    return `the intent must name one cosigner, ${hex.encode(cosigner)}`;
  if (message.valid_at <= 0 || message.valid_at > now + clockSlack)
    return `the intent is valid at ${message.valid_at}, it must be valid now, at ${now}`;
  if (message.expire_at <= now || message.expire_at > now + longestIntent)
    return (
      `the intent expires at ${message.expire_at}, it must expire after now, at ${now}, and within ${longestIntent} ` +
      'seconds'
    );
  return null;
}

function wrongProofFrame(proof: Tx, { script, leaf }: By, text: string): string | null {
  if (proof.version !== 2 || proof.lockTime !== 0) return 'the intent proof must have version 2 and no locktime';
  if (proof.inputsLength < 2) return 'the intent proof spends no coin';
  const first = outpointOf(proof, 0);
  if (first?.vout !== 0 || first.txid !== toSpendTxid(text, script.pkScript))
    return 'input 0 of the intent proof does not commit to its message and to the script of this swap';
  const where = 'input 0 of the intent proof';
  return (
    wrongPrevout(proof, 0, { script: script.pkScript, amount: 0n }, where) ??
    wrongLeaf(proof, 0, script.leaf[leaf], script.tapTree, where, leaf)
  );
}

function wrongCondition(tx: Tx, index: number, { hash }: By, where: string): string | null {
  if (hash === null || conditionItems(tx, index).some((item) => item.length === 32 && sameBytes(hash160(item), hash)))
    return null;
  return `${where} does not carry the preimage as its condition witness`;
}

function wrongForfeits(
  forfeits: readonly Uint8Array[],
  coins: ReadonlyMap<string, Vtxo>,
  by: By,
  { forfeitScript, dust }: Request,
): string | null {
  const { script, leaf } = by;
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
    const wrong =
      wrongCoinInput(tx, 0, coin, by, what) ??
      wrongCondition(tx, 0, by, what) ??
      wrongSighash(tx, 0, [SigHash.ALL_ANYONECANPAY], what);
    if (wrong) return wrong;
    if (tx.getInput(0).sequence !== finalSequence) return `${what} must have a final sequence`;
    const outputs = outputsOf(tx);
    const [penalty, anchor] = outputs ?? [];
    if (!outputs || outputs.length !== 2 || !penalty || !anchor) return `${what} must have two outputs`;
    if (!sameBytes(penalty.script, forfeitScript)) return `${what} does not pay the operator's forfeit address`;
    if (penalty.amount !== coin.amount + dust)
      return `${what} pays ${penalty.amount} sats, expected ${coin.amount + dust}`;
    if (!sameBytes(anchor.script, anchorScript) || anchor.amount !== 0n)
      return `${what} must end in an anchor output of no value`;
    const missing = by.signers.find(
      ({ key: signer }) =>
        !signedBy(tx, 0, [{ script: script.pkScript, amount: coin.amount }], script.leaf[leaf], signer, [
          SigHash.ALL_ANYONECANPAY,
        ]),
    );
    if (missing) return `${what} has no valid signature of ${missing.name}`;
  }
  const missing = [...coins].find(([key, coin]) => !coin.recoverable && !done.has(key));
  return missing ? `the coin ${missing[0]} has no forfeit transaction` : null;
}
