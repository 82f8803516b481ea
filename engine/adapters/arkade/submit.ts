import { Transaction } from '@arkade-os/sdk';
import { base64 } from '@scure/base';
import { Script, SigHash } from '@scure/btc-signer';
import { PortFailure } from '../../domain/errors.ts';
import { asXOnly, sameBytes } from '../../domain/hash.ts';
import { sameOutpoint } from '../../domain/outpoint.ts';
import { seconds } from '../../domain/time.ts';
import type { ArkTxState, SubmitAnswer } from '../../legs/vhtlc/port.ts';
import type { Leaf, TapLeaf } from '../../legs/vhtlc/script.ts';
import { decodeTapTree, hash160, tapScript } from '../../legs/vhtlc/script.ts';
import { conditionItems, outpointOf, prevoutsOf, signedBy, tapTreeFields } from '../../legs/vhtlc/psbt.ts';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { coinsAtOutpoints } from './coins.ts';
import { operatorCode, operatorError, portFailure, said } from './failures.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import type { Prepared } from './prepared.ts';
import { packPrepared, unpackPrepared } from './prepared.ts';
import type { ProofInput } from './proofs.ts';
import { deleteMessage, pendingMessage, signedProof } from './proofs.ts';

/** Seconds after which a refused transaction is tried again, where the operator does not say. */
const retryAfter = { registered: 1, banned: 60, unknownCoin: 2 } as const;

/** The output of a final transaction shows 1 to 17 ms after finalize; asked this often, this many milliseconds apart. */
const outputTries = 20;
const outputPause = 100;

interface PendingReply {
  readonly arkTxid: string;
  readonly finalArkTx: string;
  readonly signedCheckpointTxs: readonly string[];
}

export interface Submitter {
  submit(bytes: Uint8Array): Promise<SubmitAnswer>;
  finalize(bytes: Uint8Array): Promise<void>;
  state(bytes: Uint8Array): Promise<ArkTxState>;
}

/** Brings prepared transactions to the operator (arkade.md 1.11 a to d, 2.9 and the error table of section 6). */
export function createSubmitter(options: ArkadeOptions, operator: Operator): Submitter {
  const { keys, clock } = options;

  async function submit(bytes: Uint8Array): Promise<SubmitAnswer> {
    const prepared = unpackPrepared(bytes);
    if (prepared.accepted) return { is: 'accepted', bytes };
    const locked = stillLocked(prepared);
    if (locked) return locked;
    try {
      const reply = await operator.call('submit', 'write', (ark) => ark.submitTx(base64.encode(prepared.arkTx), prepared.bare.map((tx) => base64.encode(tx))));
      return { is: 'accepted', bytes: accept(prepared, reply) };
    } catch (error) {
      const told = operatorError(error);
      if (!told) throw portFailure('submit', 'write', error);
      switch (told.code) {
        case operatorCode.duplicate:
        case operatorCode.spent:
          return afterSpent(prepared);
        case operatorCode.registered:
          await release(prepared);
          return { is: 'later', reason: 'somebody registered the coin for a batch; the registration was withdrawn', seconds: seconds(retryAfter.registered) };
        case operatorCode.recoverable:
          return { is: 'recoverable' };
        case operatorCode.locked:
          return { is: 'later', reason: 'the operator still holds the coin for locked', seconds: untilUnlocked(told.metadata) };
        case operatorCode.banned:
          return { is: 'later', reason: 'the operator has banned the script for a while', seconds: seconds(retryAfter.banned) };
        case operatorCode.unknownCoin:
          return { is: 'later', reason: 'the operator does not know the coin yet', seconds: seconds(retryAfter.unknownCoin) };
        case operatorCode.internal:
          throw portFailure('submit', 'write', error);
        default:
          return { is: 'refused', reason: said(told) };
      }
    }
  }

  /** A locktime counts by median time past; asking before it is refused, and asking with an unread clock is guessing. */
  function stillLocked(prepared: Prepared): SubmitAnswer | null {
    const { lockTime } = Transaction.fromPSBT(prepared.arkTx);
    if (lockTime === 0) return null;
    const mtp = clock.mtp();
    if (mtp === null) return { is: 'later', reason: 'the median time past of the chain was not read yet', seconds: seconds(5) };
    return mtp >= lockTime ? null : { is: 'later', reason: `locked until ${lockTime} by median time past, which is ${mtp}`, seconds: seconds(lockTime - mtp) };
  }

  /** The inputs are gone: to this very transaction, whose acceptance we may have missed, or to another. */
  async function afterSpent(prepared: Prepared): Promise<SubmitAnswer> {
    const seen = await look(prepared);
    if (seen.state === 'final') return { is: 'final' };
    if (seen.state === 'accepted') {
      const reply = seen.reply ?? (await pendingReply(prepared));
      if (!reply) throw new PortFailure('pending-unread', 'ask-first', 'the operator accepted the transaction before, but does not give its signatures again');
      return { is: 'accepted', bytes: accept(prepared, reply) };
    }
    if (seen.taken) return { is: 'spent' };
    throw new PortFailure('spent-unclear', 'ask-first', 'the operator calls an input spent and does not say by what');
  }

  async function release(prepared: Prepared): Promise<void> {
    const proof = ownProof(prepared);
    if (!proof) return;
    try {
      const { proof: text, message } = signedProof(deleteMessage(clock.wall()), proof.inputs, [], proof.secret);
      await operator.call('deleteIntent', 'write', (ark) => ark.deleteIntent({ proof: text, message }));
    } catch (error) {
      // A round that holds the intent right now hides it: nothing to delete, and the round's end frees the coin.
      if (operatorError(error)?.code !== operatorCode.badProof) throw portFailure('deleteIntent', 'write', error);
    }
  }

  interface Seen {
    readonly state: ArkTxState;
    /** An input went to another transaction or batch. */
    readonly taken: boolean;
    readonly reply: PendingReply | null;
  }

  async function look(prepared: Prepared): Promise<Seen> {
    const now = clock.wall();
    const coins = await coinsAtOutpoints(operator, [prepared.output, ...prepared.inputs], now);
    if (coins.some(({ outpoint }) => sameOutpoint(outpoint, prepared.output))) return { state: 'final', taken: false, reply: null };
    const inputs = prepared.inputs.map((input) => coins.find(({ outpoint }) => sameOutpoint(outpoint, input)));
    if (inputs.some((coin) => coin?.spentIn === prepared.txid)) return { state: 'accepted', taken: false, reply: null };
    const taken = inputs.some((coin) => coin?.spent === true && (coin.spentIn !== null || coin.settledBy !== null || coin.spentBy !== null));
    if (taken) return { state: 'unseen', taken, reply: null };
    const reply = await pendingReply(prepared);
    if (reply) return { state: 'accepted', taken: false, reply };
    return { state: inputs.every((coin) => coin?.spent === false) ? 'unseen' : 'unknown', taken: false, reply: null };
  }

  async function state(bytes: Uint8Array): Promise<ArkTxState> {
    const prepared = unpackPrepared(bytes);
    const seen = await look(prepared);
    // With the operator's signatures kept, it can still be finalized: an operator that fell over may have forgotten it.
    return seen.state === 'unseen' && !seen.taken && prepared.accepted ? 'accepted' : seen.state;
  }

  async function pendingReply(prepared: Prepared): Promise<PendingReply | null> {
    const proof = ownProof(prepared);
    if (!proof) return null;
    const { proof: text, message } = signedProof(pendingMessage(clock.wall()), proof.inputs, [], proof.secret);
    const pending = await reading('pending', () => operator.call('pending', 'read', (ark) => ark.getPendingTxs({ proof: text, message })));
    return pending.find(({ arkTxid }) => arkTxid === prepared.txid) ?? null;
  }

  function ownProof(prepared: Prepared): { inputs: ProofInput[]; secret: Uint8Array } | null {
    if (!prepared.key) return null;
    const secret = keys(prepared.key);
    const own = asXOnly(secp256k1.getPublicKey(secret, true).subarray(1));
    const inputs = prepared.signed.map((bytes) => proofInput(Transaction.fromPSBT(bytes), own));
    return inputs.every((input) => input !== null) ? { inputs: inputs as ProofInput[], secret } : null;
  }

  async function finalize(bytes: Uint8Array): Promise<void> {
    const prepared = unpackPrepared(bytes);
    if (!prepared.accepted) throw new PortFailure('not-accepted', 'never', 'finalize needs the bytes that submit answered with');
    verifyCheckpoints(prepared, prepared.accepted);
    try {
      await send(prepared.txid, prepared.accepted);
    } catch (error) {
      const seen = await look(prepared);
      if (seen.state === 'final') return;
      const forgotten = operatorError(error)?.code === operatorCode.notFound && seen.state === 'unseen' && !seen.taken;
      if (!forgotten) throw portFailure('finalize', 'write', error);
      await resubmit(prepared);
    }
    await outputShows(prepared);
  }

  /** The operator fell over right after it accepted: the same bytes have the same id, so nothing can be paid twice. */
  async function resubmit(prepared: Prepared): Promise<void> {
    const again = await submit(packPrepared({ ...prepared, accepted: null }));
    if (again.is === 'final') return;
    if (again.is !== 'accepted') throw new PortFailure('finalize-forgotten', 'ask-first', `the operator forgot the transaction and answers ${again.is} to it now`);
    const accepted = unpackPrepared(again.bytes).accepted ?? [];
    try {
      await send(prepared.txid, accepted);
    } catch (error) {
      throw portFailure('finalize', 'write', error);
    }
  }

  function send(txid: string, checkpoints: readonly Uint8Array[]): Promise<void> {
    return operator.call('finalize', 'write', (ark) => ark.finalizeTx(txid, checkpoints.map((tx) => base64.encode(tx))));
  }

  async function outputShows(prepared: Prepared): Promise<void> {
    for (let i = 0; i < outputTries; i++) {
      const [coin] = await coinsAtOutpoints(operator, [prepared.output], clock.wall());
      if (coin) return;
      await new Promise((resolve) => setTimeout(resolve, i === 0 ? 10 : outputPause));
    }
    throw new PortFailure('finalize-unseen', 'ask-first', 'the operator finalized the transaction, but its output does not show');
  }

  return { submit, finalize, state };
}

async function reading<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw portFailure(what, 'read', error);
  }
}

function untilUnlocked(metadata: Record<string, string> | undefined): ReturnType<typeof seconds> {
  const left = Number(metadata?.['locktime']) - Number(metadata?.['current_locktime']);
  return seconds(Number.isFinite(left) && left > 0 ? Math.ceil(left) : 30);
}

/** Adds the operator's signatures to our checkpoints; throws unless the answer is about this very transaction. */
function accept(prepared: Prepared, reply: PendingReply): Uint8Array {
  const mismatch = (what: string): PortFailure => new PortFailure('operator-mismatch', 'ask-first', `the Arkade operator's answer to submit ${what}`);
  if (reply.arkTxid !== prepared.txid) throw mismatch('names another transaction');
  const final = Transaction.fromPSBT(base64.decode(reply.finalArkTx));
  if (final.id !== prepared.txid) throw mismatch('holds another transaction');
  const own = Transaction.fromPSBT(prepared.arkTx);
  const prevouts = prevoutsOf(own);
  for (let i = 0; i < own.inputsLength; i++) {
    const leaf = leafOf(own, i);
    if (!prevouts || !leaf || !leafKeys(leaf).every((key) => signedBy(own, i, prevouts, leaf, key, [SigHash.DEFAULT]) || signedBy(final, i, prevouts, leaf, key, [SigHash.DEFAULT])))
      throw mismatch('lacks a signature on the Arkade transaction');
  }
  const answered = new Map(reply.signedCheckpointTxs.map((text) => base64.decode(text)).map((bytes) => Transaction.fromPSBT(bytes)).map((tx) => [tx.id, tx]));
  if (reply.signedCheckpointTxs.length !== prepared.signed.length || answered.size !== prepared.signed.length) throw mismatch('has another number of checkpoints');
  const accepted = prepared.signed.map((bytes) => {
    const local = Transaction.fromPSBT(bytes);
    const server = answered.get(local.id);
    if (!server) throw mismatch(`lacks checkpoint ${local.id}`);
    const known = local.getInput(0).tapScriptSig ?? [];
    const added = (server.getInput(0).tapScriptSig ?? []).filter(([at]) => !known.some(([have]) => sameBytes(have.pubKey, at.pubKey) && sameBytes(have.leafHash, at.leafHash)));
    local.updateInput(0, { tapScriptSig: [...known, ...added] });
    return local.toPSBT();
  });
  verifyCheckpoints(prepared, accepted);
  return packPrepared({ ...prepared, accepted });
}

/**
 * One wrong signature at finalize strands the coin for good (arkade.md 2.9), so every signature and the preimage are
 * verified here, against the coins as we built them.
 */
function verifyCheckpoints(prepared: Prepared, accepted: readonly Uint8Array[]): void {
  const wrong = (what: string): PortFailure => new PortFailure('checkpoint-unsigned', 'never', `checkpoint ${what}: it is not sent, for it would strand the coin`);
  if (accepted.length !== prepared.bare.length) throw wrong('missing');
  for (const [i, bytes] of accepted.entries()) {
    const tx = Transaction.fromPSBT(bytes);
    const bare = Transaction.fromPSBT(prepared.bare[i] ?? bytes);
    const spent = bare.getInput(0).witnessUtxo;
    const leaf = leafOf(bare, 0);
    if (tx.id !== bare.id || !spent || !leaf) throw wrong(`${tx.id} is not the one that was prepared`);
    if (!leafKeys(leaf).every((key) => signedBy(tx, 0, [spent], leaf, key, [SigHash.DEFAULT]))) throw wrong(`${tx.id} lacks a valid signature`);
    const hash = leafHash160(leaf);
    if (hash && !conditionItems(tx, 0).some((item) => item.length === 32 && sameBytes(hash160(item), hash))) throw wrong(`${tx.id} lacks the preimage`);
  }
}

/** The one leaf that an input of ours carries. */
function leafOf(tx: Transaction, index: number): Leaf | null {
  const [tapLeaf] = (tx.getInput(index).tapLeafScript ?? []) as unknown as TapLeaf[];
  if (!tapLeaf) return null;
  const script = tapLeaf[1].subarray(0, -1);
  const [leaf] = tapScript([script]).leaves;
  return leaf ? { ...leaf, tapLeaf } : null;
}

/** Every 32-byte push of a leaf is a key: hashes are 20 bytes and numbers shorter. */
function leafKeys(leaf: Leaf): Uint8Array[] {
  return Script.decode(leaf.script).filter((part): part is Uint8Array => part instanceof Uint8Array && part.length === 32);
}

function leafHash160(leaf: Leaf): Uint8Array | null {
  return Script.decode(leaf.script).find((part): part is Uint8Array => part instanceof Uint8Array && part.length === 20) ?? null;
}

/**
 * Our own proof over the coin that a checkpoint spends: by the leaf it is spent by when only the operator signs beside
 * us, else by a leaf of ours without a condition (any leaf proves ownership, arkade.md 4.5).
 */
function proofInput(checkpoint: Transaction, own: Uint8Array): ProofInput | null {
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
