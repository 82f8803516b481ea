import { concatBytes } from '@noble/hashes/utils.js';
import { CompactSize, RawTx, Script, SigHash } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import { sameBytes } from '../../domain/hash.ts';
import { witnessItems, type Prevout, type Tx } from '../psbt.ts';
import { schnorrVerify, taggedHash, tweaked } from '../secp256k1.ts';
import {
  carriedLeaves,
  conditionOf,
  keyPathSignature,
  leafSignatures,
  readSeenTx,
  type SeenInput,
  withoutAnnex,
} from '../seen-tx.ts';
import { leafFailure } from './exit-script.ts';

/**
 * A transaction of the operator's as the chain wants it: its PSBT with the signatures and conditions in their places
 * (BIP 341, facts/arkade.md 14). Null where something is missing. Nothing of it is verified here.
 */
export function rawExitTx(psbt: Uint8Array): Uint8Array | null {
  const seen = readSeenTx(psbt);
  if (seen === null) return null;
  try {
    const witnesses: Uint8Array[][] = [];
    for (const input of seen.inputs) {
      const final = withoutAnnex(input.stack).items;
      const witness = final.length > 0 ? [...final] : witnessOf(input);
      if (witness === null) return null;
      witnesses.push(witness);
    }
    // Not by the library's finalizing: it wants to know what every input spends, which a tree does not say, and checks
    // each key of the PSBT again at each input, which takes most of the time of a node with many coins.
    return RawTx.encode({ ...RawTx.decode(seen.tx.bytes), segwitFlag: true, witnesses });
  } catch {
    return null;
  }
}

function witnessOf(input: SeenInput): Uint8Array[] | null {
  const keySignature = keyPathSignature(input);
  if (keySignature !== null) return [keySignature];
  const [only, ...more] = carriedLeaves(input);
  if (only === undefined || more.length > 0) return null;
  const hash = leafHash(only.script);
  const signatures = signersOf(only.script).map((key) => leafSignatures(input, key, hash)[0] ?? null);
  if (signatures.includes(null)) return null;
  // The first key of the script takes the top of the stack; a condition is run before all of them.
  return [...(signatures as Uint8Array[]).reverse(), ...conditionOf(input), only.script, only.control];
}

/** The keys of a leaf in the order in which it asks for their signatures. */
function signersOf(script: Uint8Array): Uint8Array[] {
  const words = Script.decode(script);
  return words.filter(
    (word, i): word is Uint8Array =>
      word instanceof Uint8Array && (words[i + 1] === 'CHECKSIG' || words[i + 1] === 'CHECKSIGVERIFY'),
  );
}

function leafHash(script: Uint8Array): Uint8Array {
  return taggedHash(
    'TapLeaf',
    concatBytes(Uint8Array.of(TAP_LEAF_VERSION), CompactSize.encode(BigInt(script.length)), script),
  );
}

/**
 * What a signature of ours or of the operator's commits to: everything. Another kind could be moved to another
 * transaction.
 */
const sighashes: readonly number[] = [SigHash.DEFAULT, SigHash.ALL];

/** Why the witness of an input does not spend what it claims to, or null (BIP 341 and 342). */
export function witnessFailure(tx: Tx, index: number, prevouts: readonly Prevout[]): string | null {
  const spent = prevouts[index];
  const stack = [...witnessItems(tx, index)];
  if (spent === undefined || spent.script.length !== 34 || spent.script[0] !== 0x51 || spent.script[1] !== 32)
    return 'an input spends no taproot output';
  const outputKey = spent.script.subarray(2);
  if (stack.length === 1 && stack[0] !== undefined)
    return signatureHolds(tx, index, prevouts, outputKey, stack[0])
      ? null
      : 'the signature of the operator and its clients is missing or wrong';
  const control = stack.pop();
  const script = stack.pop();
  if (control === undefined || script === undefined) return 'an input has no witness';
  if (!commitsTo(outputKey, control, script)) return 'a leaf is not part of the output that it spends';
  return leafFailure(script, stack, {
    signature: (key, signature) => signatureHolds(tx, index, prevouts, key, signature, script),
    // A locktime counts only where an input is not final; heights and times are never compared (BIP 65).
    locktime: (least) =>
      tx.getInput(index).sequence !== 0xffff_ffff &&
      least >= 0 &&
      least <= tx.lockTime &&
      least < timesFrom === tx.lockTime < timesFrom,
  });
}

/** Locktimes from here on are unix seconds, below it heights. */
export const timesFrom = 500_000_000;

function commitsTo(outputKey: Uint8Array, control: Uint8Array, script: Uint8Array): boolean {
  const [version = 0] = control;
  if ((version & 0xfe) !== TAP_LEAF_VERSION || control.length < 33 || (control.length - 33) % 32 !== 0) return false;
  const internalKey = control.slice(1, 33);
  let hash = leafHash(script);
  for (let at = 33; at < control.length; at += 32) {
    const sibling = control.subarray(at, at + 32);
    hash = taggedHash('TapBranch', ...(isBelow(hash, sibling) ? [hash, sibling] : [sibling, hash]));
  }
  try {
    const { key, odd } = tweaked(internalKey, taggedHash('TapTweak', internalKey, hash));
    return sameBytes(key, outputKey) && odd === ((version & 1) === 1);
  } catch {
    return false; // the internal key is no point
  }
}

function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}

function signatureHolds(
  tx: Tx,
  index: number,
  prevouts: readonly Prevout[],
  key: Uint8Array,
  signature: Uint8Array,
  leaf?: Uint8Array,
): boolean {
  const sighash = signature.length === 65 ? (signature[64] ?? SigHash.DEFAULT) : SigHash.DEFAULT;
  if (signature.length !== 64 && (signature.length !== 65 || sighash === SigHash.DEFAULT)) return false;
  if (key.length !== 32 || !sighashes.includes(sighash)) return false;
  const scripts = prevouts.map(({ script }) => script);
  const amounts = prevouts.map(({ amount }) => amount);
  const message =
    leaf === undefined
      ? tx.preimageWitnessV1(index, scripts, sighash, amounts)
      : tx.preimageWitnessV1(index, scripts, sighash, amounts, undefined, leaf, TAP_LEAF_VERSION);
  return schnorrVerify(signature.subarray(0, 64), message, key);
}
