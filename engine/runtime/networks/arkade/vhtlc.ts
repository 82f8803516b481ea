import { PortFailure } from '../../../domain/errors.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { furthest, laterOf, minute } from '../../../domain/time.ts';
import type { KeyRef } from '../../../legs/signer.ts';
import type { PreparedArkTx, SubmitAnswer, Vtxo } from '../../../legs/arkade/port.ts';
import { claimCeiling, lastQuarter } from '../../../quote/ceilings.ts';
import type { Purpose } from '../../../legs/arkade/effects.ts';
import type { RefusedFor } from '../../../legs/arkade/events.ts';
import { NotYet } from '../../outbox.ts';
import { isUnrolled } from '../onchain/broadcast.ts';
import { arkadeOf, coinNow, type EffectContext, type EffectOf } from '../context.ts';
import { forbidden, stillWanted } from '../only-if.ts';
import { preimageOf } from '../preimage.ts';

/** How often a lock waits for coins, with pauses that grow to five seconds: half a minute for an idle wallet. */
const waitsForCoins = 10;
/** While other locks are on their way their change comes back: five minutes. */
const waitsForChange = 60;

/** Chooses wallet coins and signs the lock; nothing is sent before the commit that reserves them. */
export async function prepareLock(effect: EffectOf<'vhtlc.lock'>, context: EffectContext): Promise<void> {
  const { ports, store, row, answer, alone } = context;
  if (effect.ownScript === true) {
    const coins = await arkadeOf(ports).coins([effect.script]);
    if (coins.some(({ amount }) => amount === effect.amount)) {
      answer({ is: 'vhtlc.seen', coins: coins.map((coin) => ({ ...coin, spend: null })) });
      return;
    }
  }
  await alone('arkade', async () => {
    const reserved = store.transactions.reservedCoins();
    try {
      const prepared = await arkadeOf(ports).prepareFund({
        script: effect.script,
        amount: effect.amount,
        minExpiry: effect.minExpiry,
        reserved,
      });
      answerPrepared(context, 'lock', prepared);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      // Change of locks on their way comes back within a second; a wallet that stays short is too poor, and says so
      // while the client's money can still go back at once (facts/faults.md 44).
      const poor = cause.code === 'no-coins';
      if (poor && row.attempts < (reserved.length > 0 ? waitsForChange : waitsForCoins))
        throw new NotYet(Math.min(5, 0.2 * 2 ** row.attempts), cause.message);
      if (!poor && cause.retry !== 'never') throw cause;
      answer({ is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason: cause.message });
    }
  });
}

export function answerPrepared(context: EffectContext, purpose: Purpose, prepared: PreparedArkTx): void {
  try {
    commitPrepared(context, purpose, prepared);
  } catch (cause) {
    if (!isTaken(cause)) throw cause;
    throw new NotYet(null, 'a coin of the transaction was promised to another one: it is prepared again');
  }
}

/** The database lets each coin be reserved once. */
export function isTaken(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

function commitPrepared({ row, answer }: EffectContext, purpose: Purpose, prepared: PreparedArkTx): void {
  answer(
    {
      is: 'vhtlc.prepared',
      purpose,
      txid: prepared.txid,
      output: { txid: prepared.output.txid, vout: prepared.output.vout },
    },
    {
      ifMoved: (store, now) => {
        // A later try of the same claim gives the same transaction, whose coins are reserved for it already.
        if (store.transactions.byId(prepared.txid)?.state !== 'prepared') {
          store.transactions.insert(
            { txid: prepared.txid, subject: row.subject, purpose, bytes: prepared.bytes, inputs: prepared.inputs },
            now,
          );
        }
        // Change may leave for the chain before anybody lists it, with the output that it shares a transaction with.
        for (const coin of prepared.own) store.ownCoins.keep(coin, now);
      },
    },
  );
}

/**
 * The taker reserves nothing: the coin of its swap is no wallet coin, and where the provider is this very node it has
 * the same one in hand. Which of the two gets it is settled by the script, not by our table.
 */
export function forOwner(key: KeyRef, prepared: PreparedArkTx): PreparedArkTx {
  return key.branch === 'taker' ? { ...prepared, inputs: [] } : prepared;
}

export async function prepareClaim(effect: EffectOf<'vhtlc.claim'>, context: EffectContext): Promise<void> {
  const preimage = preimageOf(effect.terms.hash, context);
  const coin = await spendable(effect, 'claim', context);
  if (coin === null) return;
  const prepared = await arkadeOf(context.ports).prepareClaim({
    terms: effect.terms,
    key: effect.key,
    coins: [coin],
    preimage,
  });
  answerPrepared(context, 'claim', forOwner(effect.key, prepared));
}

export async function prepareRefund(effect: EffectOf<'vhtlc.refund'>, context: EffectContext): Promise<void> {
  const { mtp } = furthest(context.clock.now());
  if (mtp === null || mtp < effect.terms.refundLocktime)
    throw new NotYet(null, 'the refund is locked until median time past reaches its locktime');
  const coin = await spendable(effect, 'refund', context);
  if (coin === null) return;
  const prepared = await arkadeOf(context.ports).prepareRefund({ terms: effect.terms, key: effect.key, coins: [coin] });
  answerPrepared(context, 'refund', forOwner(effect.key, prepared));
}

/** The coin as it is now; answers the swap itself when no ordinary transaction can take it. */
export async function spendable(
  effect: { script: Uint8Array; coin: Outpoint },
  purpose: Purpose,
  { ports, store, row, answer }: EffectContext,
): Promise<Vtxo | null> {
  const coin = await coinNow(arkadeOf(ports), effect.script, effect.coin);
  if (coin.unrolled)
    answer({ is: 'vhtlc.refused', purpose, txid: null, why: 'unrolled', reason: 'the coin was brought to the chain' });
  else if (coin.spent && coin.spentIn === null && coin.settledBy !== null && coin.recoverable)
    answer({
      is: 'vhtlc.refused',
      purpose,
      txid: null,
      why: 'recoverable',
      reason: 'the coin expired, and a batch took it',
    });
  // By what we sent and gave up when the operator denied it: made again it is the same transaction, which goes on.
  else if (coin.spent && coin.spentIn !== null && store.transactions.byId(coin.spentIn)?.subject === row.subject)
    return coin;
  else if (coin.spent) answer({ is: 'vhtlc.refused', purpose, txid: null, why: 'spent', reason: 'the coin is spent' });
  else if (coin.recoverable)
    answer({ is: 'vhtlc.refused', purpose, txid: null, why: 'recoverable', reason: 'the coin expired' });
  else return coin;
  return null;
}

export async function submit(effect: EffectOf<'vhtlc.submit'>, context: EffectContext): Promise<void> {
  const { ports, store } = context;
  const bytes = store.transactions.bytes(effect.txid);
  if (bytes === null) return; // closed by an earlier run whose answer was saved
  const arkade = arkadeOf(ports);
  if (effect.onlyIf !== undefined) {
    const reason = await forbidden(effect.onlyIf, 0, context);
    if (reason !== null) {
      // An earlier run may have sent it: what the operator has seen is finished, whatever the clock says.
      const state = await arkade.state(bytes);
      if (state === 'unknown')
        throw new PortFailure('unknown', 'ask-first', 'it is not known whether the lock was sent');
      if (state === 'unseen') return refused(effect, context, 'late', reason);
    }
  }
  await answerSubmit(effect, context, await arkade.submit(bytes), bytes);
}

async function answerSubmit(
  effect: EffectOf<'vhtlc.submit'>,
  context: EffectContext,
  submitted: SubmitAnswer,
  bytes: Uint8Array,
): Promise<void> {
  const { answer } = context;
  const { purpose, txid } = effect;
  switch (submitted.is) {
    case 'accepted':
      answer(
        { is: 'vhtlc.accepted', purpose, txid },
        {
          always(store, now) {
            // Given up while it was on its way; of a swap's own coin it is finished all the same, and that takes its bytes.
            if (purpose !== 'lock' && store.transactions.byId(txid)?.state === 'dead')
              store.transactions.insert({ txid, subject: context.row.subject, purpose, bytes, inputs: [] }, now);
            store.transactions.accepted(txid, submitted.bytes, now);
          },
        },
      );
      return;
    case 'final':
      answer(
        { is: 'vhtlc.final', purpose, txid },
        { always: (store, now) => store.transactions.close(txid, 'final', now) },
      );
      return;
    case 'later':
      throw new NotYet(submitted.seconds, submitted.reason, submitted.alarm);
    case 'spent': {
      // Spent by our own transaction looks alike: only a transaction that the operator never saw is really beaten.
      const state = await arkadeOf(context.ports).state(bytes);
      if (state !== 'unseen')
        throw new PortFailure('unknown', 'ask-first', `the operator says spent, and that our transaction is ${state}`);
      return refused(effect, context, 'spent', 'an input was spent by another transaction');
    }
    case 'recoverable':
      return refused(effect, context, 'recoverable', 'an input expired');
    case 'unrolled':
      return refused(effect, context, 'unrolled', 'an input was brought to the chain');
    case 'refused':
      return refused(effect, context, 'refused', submitted.reason);
  }
}

function refused(
  effect: EffectOf<'vhtlc.submit' | 'vhtlc.finalize'>,
  { answer }: EffectContext,
  why: RefusedFor,
  reason: string,
): void {
  const { purpose, txid } = effect;
  answer(
    { is: 'vhtlc.refused', purpose, txid, why, reason },
    { always: (store, now) => store.transactions.close(txid, 'dead', now) },
  );
}

export async function finalize(effect: EffectOf<'vhtlc.finalize'>, context: EffectContext): Promise<void> {
  const { ports, store, answer } = context;
  const { purpose, txid } = effect;
  const bytes = store.transactions.bytes(txid);
  if (bytes === null) return;
  if (effect.onlyIf !== undefined) await stillWanted(effect.onlyIf, context);
  const arkade = arkadeOf(ports);
  try {
    await arkade.finalize(bytes);
  } catch (cause) {
    // Of a lock the operator holds all our signatures now: it may still come to the chain, so a person looks first.
    if (!isUnrolled(cause) || purpose === 'lock') throw cause;
    return refused(effect, context, 'unrolled', 'the coin was brought to the chain before the transaction was final');
  }
  const state = await arkade.state(bytes);
  if (state !== 'final') throw new NotYet(null, `the operator says that the transaction is ${state}`);
  answer({ is: 'vhtlc.final', purpose, txid }, { always: (open, now) => open.transactions.close(txid, 'final', now) });
}

/** Takes a coin that expired through a batch: slower, and the only way left. */
export async function settle(effect: EffectOf<'vhtlc.settle'>, context: EffectContext): Promise<void> {
  const { ports, answer, signal, clock, ceilings } = context;
  const arkade = arkadeOf(ports);
  const now = clock.now();
  const { mtp } = furthest(now);
  if (effect.purpose === 'refund' && (mtp === null || mtp < effect.terms.refundLocktime))
    throw new NotYet(null, 'the refund is locked until median time past reaches its locktime');
  const coin = await coinNow(arkade, effect.script, effect.coin);
  if (coin.spent && coin.settledBy === null) {
    answer({ is: 'vhtlc.refused', purpose: effect.purpose, txid: null, why: 'spent', reason: 'the coin is spent' });
    return;
  }
  if (effect.taken === true && (coin.settledBy === null || !coin.recoverable)) {
    // Nothing is begun here: the watch tells by which leaf a live coin went, or that the coin is still to be had.
    answer({
      is: 'vhtlc.refused',
      purpose: effect.purpose,
      txid: null,
      why: 'spent',
      reason: 'no batch has the expired coin',
    });
    return;
  }
  // In a batch already: ours, whose end was missed, or the other party's. The port tells them apart.
  try {
    // By the clock that is ahead: a wall that fell behind must not keep a fee low until the claim is lost.
    const lost = effect.purpose === 'claim' && laterOf(now) >= lastQuarter(coin.createdAt, effect.terms.refundLocktime);
    const { commitmentTxid, fee } = await arkade.settle({
      terms: effect.terms,
      key: effect.key,
      coins: [coin],
      leaf: effect.purpose === 'claim' ? 'claim' : 'refund-without-receiver',
      ...(effect.purpose === 'claim' ? { preimage: preimageOf(effect.terms.hash, context) } : {}),
      mostFee: claimCeiling(coin.amount, ceilings(), lost),
      signal,
    });
    answer({ is: 'vhtlc.final', purpose: effect.purpose, txid: commitmentTxid, fee });
  } catch (cause) {
    if (isUnrolled(cause))
      return answer({
        is: 'vhtlc.refused',
        purpose: effect.purpose,
        txid: null,
        why: 'unrolled',
        reason: 'the coin was brought to the chain',
      });
    if (
      cause instanceof PortFailure &&
      cause.code === 'batch-foreign' &&
      effect.purpose === 'refund' &&
      effect.key.branch === 'swap'
    ) {
      const preimage = context.store.preimages.find(effect.terms.hash);
      if (effect.taken === true && context.row.attempts < askedBefore) throw new NotYet(askedAgain, cause.message);
      // The client's, who gave us the secret for it.
      if (preimage !== null)
        return answer({ is: 'claim.relayed', preimage, coins: [effect.coin], fact: effect.taken === true });
    }
    if (cause instanceof PortFailure && cause.code === 'too-dear')
      throw new NotYet(minute, `${cause.message}; raise ceilings.claimBps in the settings to pay more`, true);
    if (cause instanceof PortFailure && alarming.has(cause.code)) throw new NotYet(atLeisure, cause.message, true);
    throw cause;
  }
}

/** How often an operator is asked again whose batch it was, and after how many seconds: one answer of it ends no refund of ours. */
const askedBefore = 2;
const askedAgain = 5;
/** Seconds after which an operator that banned a script is asked again: a ban lasts for minutes (facts/arkade.md 38). */
const atLeisure = 15;
/** A script that is banned, a batch that paid somebody else: what a batch does not do by itself. */
const alarming: ReadonlySet<string> = new Set(['arkade-29', 'batch-foreign']);
