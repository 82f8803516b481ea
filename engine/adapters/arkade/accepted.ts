import { Transaction } from '@arkade-os/sdk';
import { Script, SigHash } from '@scure/btc-signer';
import type { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { conditionItems, outpointOf, prevoutsOf, signedBy, tapTreeFields } from '../../legs/psbt.ts';
import type { Leaf, TapLeaf } from '../../legs/tapscript.ts';
import { decodeTapTree, leafHash, tapScript } from '../../legs/tapscript.ts';
import { hash160 } from '../../legs/arkade/script.ts';
import { base64 } from './base64.ts';
import { readOnlyPsbt } from './parsed.ts';
import type { Prepared } from './prepared.ts';
import { packPrepared } from './prepared.ts';
import type { ProofInput } from './proofs.ts';

/** What the operator answers to a submission, and again to a question for pending transactions. */
export interface OperatorReply {
  readonly arkTxid: string;
  readonly finalArkTx: string;
  readonly signedCheckpointTxs: readonly string[];
}

/** Adds the operator's signatures to our checkpoints; throws unless the answer is about this very transaction. */
export function accept(prepared: Prepared, reply: OperatorReply): Uint8Array {
  const mismatch = (what: string): PortFailure =>
    arkadeFailure('operator-mismatch', 'ask-first', `the Arkade operator's answer to submit ${what}`);
  if (reply.arkTxid !== prepared.txid) throw mismatch('names another transaction');
  const final = Transaction.fromPSBT(base64.decode(reply.finalArkTx));
  if (final.id !== prepared.txid) throw mismatch('holds another transaction');
  const own = readOnlyPsbt(prepared.arkTx);
  const prevouts = prevoutsOf(own);
  for (let i = 0; i < own.inputsLength; i++) {
    const leaf = leafOf(own, i);
    if (
      !prevouts ||
      !leaf ||
      !leafKeys(leaf).every(
        (key) =>
          signedBy(own, i, prevouts, leaf, key, [SigHash.DEFAULT]) ||
          signedBy(final, i, prevouts, leaf, key, [SigHash.DEFAULT]),
      )
    )
      throw mismatch('lacks a signature on the Arkade transaction');
  }
  const answered = new Map(
    reply.signedCheckpointTxs
      .map((text) => base64.decode(text))
      .map((bytes) => Transaction.fromPSBT(bytes))
      .map((tx) => [tx.id, tx]),
  );
  if (reply.signedCheckpointTxs.length !== prepared.signed.length || answered.size !== prepared.signed.length)
    throw mismatch('has another number of checkpoints');
  const accepted = prepared.signed.map((bytes) => {
    const local = Transaction.fromPSBT(bytes);
    const server = answered.get(local.id);
    if (!server) throw mismatch(`lacks checkpoint ${local.id}`);
    addSignatures(local, server, 0);
    return local.toPSBT();
  });
  verifyCheckpoints(prepared, accepted);
  const whole = Transaction.fromPSBT(prepared.arkTx);
  for (let i = 0; i < whole.inputsLength; i++) addSignatures(whole, final, i);
  return packPrepared({ ...prepared, accepted, whole: whole.toPSBT() });
}

/** Those that an input has not yet. */
function addSignatures(to: Transaction, from: Transaction, index: number): void {
  const signatures = to.getInput(index).tapScriptSig ?? [];
  const added = (from.getInput(index).tapScriptSig ?? []).filter(
    ([at]) => !signatures.some(([have]) => sameBytes(have.pubKey, at.pubKey) && sameBytes(have.leafHash, at.leafHash)),
  );
  to.updateInput(index, { tapScriptSig: [...signatures, ...added] });
}

/** The transactions of which every signature is there, by their ids. */
export function signedTxs({ accepted, whole }: Prepared): Map<Txid, Uint8Array> {
  if (accepted === null || whole === null) return new Map();
  return new Map([...accepted, whole].map((bytes) => [readOnlyPsbt(bytes).id, bytes]));
}

/**
 * One wrong signature at finalize strands the coin for good (facts/arkade.md 18), so every signature and the preimage
 * are verified here, against the coins as we built them.
 */
export function verifyCheckpoints(prepared: Prepared, accepted: readonly Uint8Array[]): void {
  const wrong = (what: string): PortFailure =>
    arkadeFailure('checkpoint-unsigned', 'never', `checkpoint ${what}: it is not sent, for it would strand the coin`);
  if (accepted.length !== prepared.bare.length) throw wrong('missing');
  for (const [i, bytes] of accepted.entries()) {
    const tx = readOnlyPsbt(bytes);
    const bare = readOnlyPsbt(prepared.bare[i] ?? bytes);
    const spent = bare.getInput(0).witnessUtxo;
    const leaf = leafOf(bare, 0);
    if (tx.id !== bare.id || !spent || !leaf) throw wrong(`${tx.id} is not the one that was prepared`);
    if (!leafKeys(leaf).every((key) => signedBy(tx, 0, [spent], leaf, key, [SigHash.DEFAULT])))
      throw wrong(`${tx.id} lacks a valid signature`);
    const hash = leafHash160(leaf);
    if (hash && !conditionItems(tx, 0).some((item) => item.length === 32 && sameBytes(hash160(item), hash)))
      throw wrong(`${tx.id} lacks the preimage`);
  }
}

/** The one leaf that an input of ours carries. */
function leafOf(tx: Transaction, index: number): Leaf | null {
  const [tapLeaf] = (tx.getInput(index).tapLeafScript ?? []) as unknown as TapLeaf[];
  if (!tapLeaf) return null;
  const script = tapLeaf[1].subarray(0, -1);
  return { script, hash: leafHash(script), tapLeaf };
}

/** Every 32-byte push of a leaf is a key: hashes are 20 bytes and numbers shorter. */
function leafKeys(leaf: Leaf): Uint8Array[] {
  return Script.decode(leaf.script).filter(
    (part): part is Uint8Array => part instanceof Uint8Array && part.length === 32,
  );
}

function leafHash160(leaf: Leaf): Uint8Array | null {
  return (
    Script.decode(leaf.script).find((part): part is Uint8Array => part instanceof Uint8Array && part.length === 20) ??
    null
  );
}

/**
 * The hashes whose preimages open a coin by another leaf than the one that this checkpoint spends it by: none for a
 * claim.
 */
export function claimHashes(checkpoint: Transaction): Uint8Array[] {
  const used = leafOf(checkpoint, 0);
  if (!used || leafHash160(used)) return [];
  const scripts = tapTreeFields(checkpoint, 0).flatMap((tree) => decodeTapTree(tree) ?? []);
  return tapScript(scripts)
    .leaves.map(leafHash160)
    .filter((hash) => hash !== null);
}

/**
 * Our own proof over the coin that a checkpoint spends: by the leaf it is spent by when only the operator signs beside
 * us, else by a leaf of ours without a condition (any leaf proves ownership, facts/arkade.md 17).
 */
export function proofInput(checkpoint: Transaction, own: Uint8Array): ProofInput | null {
  const spent = checkpoint.getInput(0).witnessUtxo;
  const outpoint = outpointOf(checkpoint, 0);
  const used = leafOf(checkpoint, 0);
  const [tapTree] = tapTreeFields(checkpoint, 0);
  const scripts = tapTree && decodeTapTree(tapTree);
  if (!spent || !outpoint || !used || !tapTree || !scripts) return null;
  const leaves = tapScript(scripts).leaves;
  const ours = (leaf: Leaf, others: number): boolean => {
    const keys = leafKeys(leaf);
    return keys.length === 1 + others && keys[0] !== undefined && sameBytes(keys[0], own);
  };
  const leaf = ours(used, 1) ? used : leaves.find((candidate) => ours(candidate, 1) && !leafHash160(candidate));
  if (!leaf) return null;
  const condition = conditionItems(checkpoint, 0);
  return {
    outpoint,
    amount: spent.amount,
    script: spent.script,
    tapLeaf: leaf.tapLeaf,
    tapTree,
    locked: Script.decode(leaf.script).includes('CHECKLOCKTIMEVERIFY'),
    ...(leafHash160(leaf) ? { condition } : {}),
  };
}
