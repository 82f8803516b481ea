import { Transaction } from '@arkade-os/sdk';
import { base64 } from '@scure/base';
import { sameOutpoint } from '../../domain/outpoint.ts';
import { asHash160 } from '../../domain/hash.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { ArkTxState, SubmitAnswer } from '../../legs/arkade/transaction.ts';
import { readTx } from '../../legs/psbt.ts';
import { preimageIn } from '../../legs/arkade/spend.ts';
import { accept, claimHashes, proofInput, verifyCheckpoints } from './accepted.ts';
import type { OperatorReply } from './accepted.ts';
import { coinsAtOutpoints, virtualTxTexts } from './coins.ts';
import { operatorCode, operatorError, portFailure, errorText } from './failures.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import type { Prepared } from './prepared.ts';
import { packPrepared, unpackPrepared } from './prepared.ts';
import type { ProofInput } from './proofs.ts';
import { deleteMessage, pendingMessage, proofLife, signedProof } from './proofs.ts';
import { waitingOver } from './waiting.ts';

/** Seconds after which a refused transaction is tried again, where the operator does not say. */
const retryAfter = { registered: 0.25, banned: 10, unknownCoin: 2 } as const;

/** A registration that was withdrawn may be made again at once: so often the transaction is sent right behind. */
const withdrawals = 4;

/** The output of a final transaction shows 1 to 17 ms after finalize; asked this often, this many milliseconds apart. */
const outputTries = 20;
const outputPause = 100;

/** Brings prepared transactions to the operator (facts/arkade.md 15 to 18 and 23). */
export function createSubmitter(
  options: ArkadeOptions,
  operator: Operator,
): Pick<ArkadePort, 'submit' | 'finalize' | 'state'> {
  const { keys, clock } = options;

  async function submit(bytes: Uint8Array): Promise<SubmitAnswer> {
    const prepared = unpackPrepared(bytes);
    if (prepared.accepted) return { is: 'accepted', bytes };
    const locked = stillLocked(prepared);
    if (locked) return locked;
    for (let i = 0; i < withdrawals; i++) {
      const answer = await offer(prepared);
      if (answer !== 'withdrawn') return answer;
    }
    return {
      is: 'later',
      reason: 'somebody registered the coin for a batch, and again each time it was withdrawn',
      seconds: retryAfter.registered,
    };
  }

  async function offer(prepared: Prepared): Promise<SubmitAnswer | 'withdrawn'> {
    try {
      const reply = await operator.call('submit', 'write', (ark) =>
        ark.submitTx(
          base64.encode(prepared.arkTx),
          prepared.bare.map((tx) => base64.encode(tx)),
        ),
      );
      return { is: 'accepted', bytes: accept(prepared, reply) };
    } catch (error) {
      const answer = operatorError(error);
      if (!answer) throw portFailure('submit', 'write', error);
      switch (answer.code) {
        case operatorCode.duplicate:
        case operatorCode.spent:
          return afterRefusal(prepared, null);
        case operatorCode.registered:
          return afterRegistration(prepared);
        case operatorCode.recoverable:
          return afterRefusal(prepared, { is: 'recoverable' });
        case operatorCode.unrolled:
          return afterRefusal(prepared, { is: 'unrolled' });
        case operatorCode.locked:
          return {
            is: 'later',
            reason: 'the operator still holds the coin for locked',
            seconds: untilUnlocked(answer.metadata),
          };
        case operatorCode.banned:
          return {
            is: 'later',
            reason: 'the operator has banned the script for a while: somebody wronged it in a batch with this coin',
            seconds: retryAfter.banned,
            alarm: true,
          };
        case operatorCode.unknownCoin:
          return { is: 'later', reason: 'the operator does not know the coin yet', seconds: retryAfter.unknownCoin };
        case operatorCode.internal:
          throw portFailure('submit', 'write', error);
        default:
          return afterRefusal(prepared, { is: 'refused', reason: errorText(answer) });
      }
    }
  }

  /** A locktime counts by median time past; asking before it is refused, and asking with an unread clock is guessing. */
  function stillLocked(prepared: Prepared): SubmitAnswer | null {
    const { lockTime } = Transaction.fromPSBT(prepared.arkTx);
    if (lockTime === 0) return null;
    const mtp = clock.mtp();
    if (mtp === null) return { is: 'later', reason: 'the median time past of the chain was not read yet', seconds: 5 };
    return mtp >= lockTime
      ? null
      : {
          is: 'later',
          reason: `locked until ${lockTime} by median time past, which is ${mtp}`,
          seconds: lockTime - mtp,
        };
  }

  /**
   * A refusal may be the answer to a second try of what was accepted, its answer lost: the state decides. `verdict` is
   * what the refusal means otherwise, null for "spent".
   */
  async function afterRefusal(prepared: Prepared, verdict: SubmitAnswer | null): Promise<SubmitAnswer> {
    const seen = await look(prepared);
    if (seen.state === 'final') return shownFinal(prepared);
    if (seen.state === 'accepted') {
      const reply = seen.reply ?? (await pendingReply(prepared));
      if (!reply)
        throw arkadeFailure(
          'pending-unread',
          'ask-first',
          'the operator accepted the transaction before, but does not give its signatures again',
        );
      return { is: 'accepted', bytes: accept(prepared, reply) };
    }
    if (seen.taken) return { is: 'spent' };
    if (verdict !== null && seen.state === 'unseen') return verdict;
    if (verdict !== null)
      throw arkadeFailure(
        'refusal-unclear',
        'ask-first',
        'the operator refused the transaction and does not say whether it has it already',
      );
    throw arkadeFailure('spent-unclear', 'ask-first', 'the operator calls an input spent and does not say by what');
  }

  /**
   * The output of what we never saw accepted shows: with a claim or a refund a swap is over, on which the other leg goes,
   * so the operator shows its signatures too. Without them the coin is ours by its word alone, and the other party's on the
   * chain. A lock ends nothing, and the sooner it counts for made, the sooner its refund is armed.
   */
  async function shownFinal(prepared: Prepared): Promise<SubmitAnswer> {
    if (prepared.key === null || prepared.key.branch === 'arkade-wallet') return { is: 'final' };
    const ids = prepared.bare.map((bytes) => Transaction.fromPSBT(bytes).id);
    const texts = await reading('virtual transactions', () => virtualTxTexts(operator, ids));
    const shown = new Map(texts.map((text) => base64.decode(text)).map((bytes) => [readTx(bytes)?.id, bytes]));
    const checkpoints = ids.map((id) => shown.get(id)).filter((bytes) => bytes !== undefined);
    try {
      verifyCheckpoints(prepared, checkpoints);
    } catch (cause) {
      throw arkadeFailure(
        'final-unshown',
        'ask-first',
        'the operator calls the transaction final and does not show all its signatures',
        cause,
      );
    }
    return { is: 'final' };
  }

  /** Somebody holds a coin back for a batch. Withdrawn, unless it is a claim that our refund would push aside. */
  async function afterRegistration(prepared: Prepared): Promise<SubmitAnswer | 'withdrawn'> {
    const proof = ownProof(prepared);
    if (proof && (await claimWaits(prepared, proof)))
      return { is: 'later', reason: 'the other party has registered its claim for a batch', seconds: 1 };
    if (proof && (await release(proof))) return 'withdrawn';
    return {
      is: 'later',
      reason: 'a round holds the coin, which somebody registered for it',
      seconds: retryAfter.registered,
    };
  }

  async function claimWaits(prepared: Prepared, proof: OwnProof): Promise<boolean> {
    const hashes = prepared.signed.flatMap((bytes) => claimHashes(Transaction.fromPSBT(bytes)));
    if (hashes.length === 0) return false;
    const queued = await waitingOver(operator, proofLife(clock), {
      proofs: proof.inputs,
      secret: proof.secret,
      where: 'queue',
    });
    return queued.some((bytes) => hashes.some((hash) => preimageIn(asHash160(hash), bytes) !== null));
  }

  async function release(proof: OwnProof): Promise<boolean> {
    try {
      const { proof: text, message } = signedProof(deleteMessage(proofLife(clock)), proof.inputs, [], proof.secret);
      await operator.call('deleteIntent', 'write', (ark) => ark.deleteIntent({ proof: text, message }));
      return true;
    } catch (error) {
      // A round that holds the intent right now hides it: nothing to delete, and the round's end frees the coin.
      if (operatorError(error)?.code !== operatorCode.badProof) throw portFailure('deleteIntent', 'write', error);
      return false;
    }
  }

  interface Seen {
    readonly state: ArkTxState;
    /** An input went to another transaction or batch. */
    readonly taken: boolean;
    readonly reply: OperatorReply | null;
  }

  async function look(prepared: Prepared): Promise<Seen> {
    const now = clock.wall();
    const coins = await coinsAtOutpoints(operator, [prepared.output, ...prepared.inputs], now);
    if (coins.some(({ outpoint }) => sameOutpoint(outpoint, prepared.output)))
      return { state: 'final', taken: false, reply: null };
    const inputs = prepared.inputs.map((input) => coins.find(({ outpoint }) => sameOutpoint(outpoint, input)));
    if (inputs.some((coin) => coin?.spentIn === prepared.txid)) return { state: 'accepted', taken: false, reply: null };
    const taken = inputs.some(
      (coin) => coin?.spent === true && (coin.spentIn !== null || coin.settledBy !== null || coin.spentBy !== null),
    );
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

  async function pendingReply(prepared: Prepared): Promise<OperatorReply | null> {
    const proof = ownProof(prepared);
    if (!proof) return null;
    const { proof: text, message } = signedProof(pendingMessage(proofLife(clock)), proof.inputs, [], proof.secret);
    const pending = await reading('pending', () =>
      operator.call('pending', 'read', (ark) => ark.getPendingTxs({ proof: text, message })),
    );
    return pending.find(({ arkTxid }) => arkTxid === prepared.txid) ?? null;
  }

  function ownProof(prepared: Prepared): OwnProof | null {
    if (!prepared.key) return null;
    const secret = keys(prepared.key);
    const own = xOnlyKeyOf(secret);
    const inputs = prepared.signed.map((bytes) => proofInput(Transaction.fromPSBT(bytes), own));
    return inputs.every((input) => input !== null) ? { inputs: inputs as ProofInput[], secret } : null;
  }

  async function finalize(bytes: Uint8Array): Promise<void> {
    const prepared = unpackPrepared(bytes);
    if (!prepared.accepted)
      throw arkadeFailure('not-accepted', 'never', 'finalize needs the bytes that submit answered with');
    verifyCheckpoints(prepared, prepared.accepted);
    try {
      await send(prepared.txid, prepared.accepted);
    } catch (error) {
      if (operatorError(error)?.code === operatorCode.unrolled)
        throw arkadeFailure(
          'unrolled',
          'never',
          'a coin of the transaction was brought to the chain before it was final',
        );
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
    if (again.is !== 'accepted')
      throw arkadeFailure(
        'finalize-forgotten',
        'ask-first',
        `the operator forgot the transaction and answers ${again.is} to it now`,
      );
    const accepted = unpackPrepared(again.bytes).accepted ?? [];
    try {
      await send(prepared.txid, accepted);
    } catch (error) {
      throw portFailure('finalize', 'write', error);
    }
  }

  function send(txid: string, checkpoints: readonly Uint8Array[]): Promise<void> {
    return operator.call('finalize', 'write', (ark) =>
      ark.finalizeTx(
        txid,
        checkpoints.map((tx) => base64.encode(tx)),
      ),
    );
  }

  async function outputShows(prepared: Prepared): Promise<void> {
    for (let i = 0; i < outputTries; i++) {
      const [coin] = await coinsAtOutpoints(operator, [prepared.output], clock.wall());
      if (coin) return;
      await new Promise((resolve) => setTimeout(resolve, i === 0 ? 10 : outputPause));
    }
    throw arkadeFailure(
      'finalize-unseen',
      'ask-first',
      'the operator finalized the transaction, but its output does not show',
    );
  }

  return { submit, finalize, state };
}

interface OwnProof {
  readonly inputs: ProofInput[];
  readonly secret: Uint8Array;
}

async function reading<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw portFailure(what, 'read', error);
  }
}

function untilUnlocked(metadata: Record<string, string> | undefined): number {
  const left = Number(metadata?.['locktime']) - Number(metadata?.['current_locktime']);
  return Number.isFinite(left) && left > 0 ? Math.ceil(left) : 30;
}
