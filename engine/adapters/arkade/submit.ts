import { PortFailure } from '../../domain/errors.ts';
import { wasNeverSent } from '../../domain/never-sent.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { SubmitAnswer } from '../../legs/arkade/transaction.ts';
import { readSeenTx } from '../../legs/seen-tx.ts';
import { base64 } from './base64.ts';
import { accept, verifyCheckpoints } from './accepted.ts';
import { virtualTxTexts } from './coins.ts';
import { errorText, operatorCode, operatorError, portFailure } from './failures.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import { readOnlyPsbt } from './parsed.ts';
import { unpackPrepared, type Prepared } from './prepared.ts';
import { afterRegistration, registeredWait } from './registered-coin.ts';
import { lookAt, pendingReply, reading } from './tx-state.ts';
import { turns } from './turns.ts';

/** Seconds after which a refused transaction is tried again, where the operator does not say. */
const retryAfter = { banned: 10, unknownCoin: 2 } as const;

/** A registration that was withdrawn may be made again at once: so often the transaction is sent right behind. */
const withdrawals = 4;

/** How transactions are handed over. */
interface Submitting {
  readonly options: ArkadeOptions;
  readonly operator: Operator;
  /** Whether the operator may have it, and the secret in it: what fails from then on is not as if nothing was sent. */
  mayHaveCome: boolean;
}

/** Brings prepared transactions to the operator (facts/arkade.md 15 to 18 and 23). */
export function createSubmit(options: ArkadeOptions, operator: Operator): ArkadePort['submit'] {
  return async (bytes) => {
    const own: Submitting = { options, operator, mayHaveCome: false };
    const prepared = unpackPrepared(bytes);
    if (prepared.accepted) return { is: 'accepted', bytes };
    const locked = stillLocked(own, prepared);
    if (locked) return locked;
    try {
      return await offered(own, prepared);
    } catch (cause) {
      const isSafe = cause instanceof PortFailure && cause.retry === 'safe';
      throw isSafe && own.mayHaveCome ? cause.retold('ask-first') : cause;
    }
  };
}

async function offered(own: Submitting, prepared: Prepared): Promise<SubmitAnswer> {
  for (let i = 0; i < withdrawals; i++) {
    const answer = await offer(own, prepared);
    if (answer !== 'withdrawn') return answer;
  }
  return {
    is: 'later',
    reason: 'somebody registered the coin for a batch, and again each time it was withdrawn',
    seconds: registeredWait,
  };
}

/** Only what its transport knows to have left for nobody has not come. */
async function coming<T>(own: Submitting, call: Promise<T>): Promise<T> {
  try {
    const reply = await call;
    own.mayHaveCome = true;
    return reply;
  } catch (error) {
    own.mayHaveCome ||= !wasNeverSent(error);
    throw error;
  }
}

async function offer(own: Submitting, prepared: Prepared): Promise<SubmitAnswer | 'withdrawn'> {
  const { options, operator } = own;
  try {
    const reply = await operator.call('submit', 'write', (ark) =>
      coming(
        own,
        ark.submitTx(
          base64.encode(prepared.arkTx),
          prepared.bare.map((tx) => base64.encode(tx)),
        ),
      ),
    );
    return { is: 'accepted', bytes: await turns.first(() => accept(prepared, reply)) };
  } catch (error) {
    const answer = operatorError(error);
    if (!answer) throw portFailure('submit', 'write', error);
    switch (answer.code) {
      case operatorCode.duplicate:
      case operatorCode.spent:
        return afterRefusal(own, prepared, null);
      case operatorCode.registered:
        return afterRegistration(options, operator, prepared);
      case operatorCode.recoverable:
        return afterRefusal(own, prepared, { is: 'recoverable' });
      case operatorCode.unrolled:
        return afterRefusal(own, prepared, { is: 'unrolled' });
      case operatorCode.locked:
        // Its chain is a block behind ours, or more: how long is no matter of seconds (facts/arkade.md 20).
        return {
          is: 'later',
          reason: 'the operator still holds the coin for locked',
          seconds: null,
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
        return afterRefusal(own, prepared, { is: 'refused', reason: errorText(answer) });
    }
  }
}

/**
 * A locktime counts by median time past; asking before it is refused, and asking with an unread clock is guessing.
 */
function stillLocked({ options }: Submitting, prepared: Prepared): SubmitAnswer | null {
  const { lockTime } = readOnlyPsbt(prepared.arkTx);
  if (lockTime === 0) return null;
  const mtp = options.clock.mtp();
  if (mtp === null) return { is: 'later', reason: 'the median time past of the chain was not read yet', seconds: null };
  return mtp >= lockTime
    ? null
    : {
        is: 'later',
        reason: `locked until ${lockTime} by median time past, which is ${mtp}`,
        seconds: null,
      };
}

/**
 * A refusal may be the answer to a second try of what was accepted, its answer lost: the state decides. `verdict` is
 * what the refusal means otherwise, null for "spent".
 */
async function afterRefusal(own: Submitting, prepared: Prepared, verdict: SubmitAnswer | null): Promise<SubmitAnswer> {
  const { options, operator } = own;
  const { state, taken, reply: given } = await lookAt(options, operator, prepared);
  if (state === 'final') return shownFinal(own, prepared);
  if (state === 'accepted') {
    const reply = given ?? (await pendingReply(options, operator, prepared));
    if (!reply)
      throw arkadeFailure(
        'pending-unread',
        'ask-first',
        'the operator accepted the transaction before, but does not give its signatures again',
      );
    return { is: 'accepted', bytes: accept(prepared, reply) };
  }
  if (taken) return { is: 'spent' };
  if (verdict !== null && state === 'unseen') return verdict;
  if (verdict !== null)
    throw arkadeFailure(
      'refusal-unclear',
      'ask-first',
      'the operator refused the transaction and does not say whether it has it already',
    );
  throw arkadeFailure('spent-unclear', 'ask-first', 'the operator calls an input spent and does not say by what');
}

/**
 * The output of what we never saw accepted shows: with a claim or a refund a swap is over, on which the other leg
 * goes, so the operator shows its signatures too. Without them the coin is ours by its word alone, and the other
 * party's on the chain. A lock ends nothing, and the sooner it counts for made, the sooner its refund is armed.
 */
async function shownFinal({ operator }: Submitting, prepared: Prepared): Promise<SubmitAnswer> {
  if (prepared.key === null || prepared.key.branch === 'arkade-wallet') return { is: 'final' };
  const ids = prepared.bare.map((bytes) => readOnlyPsbt(bytes).id);
  const texts = await reading('virtual transactions', () => virtualTxTexts(operator, ids));
  const shown = new Map(texts.map((text) => base64.decode(text)).map((bytes) => [readSeenTx(bytes)?.tx.txid, bytes]));
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
