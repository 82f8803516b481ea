import { PortFailure } from '../../../domain/errors.ts';
import { btcOn } from '../../../domain/money.ts';
import { sameOutpoint } from '../../../domain/outpoint.ts';
import type { RefusedFor } from '../../../legs/arkade/events.ts';
import { arkadeFailure } from '../../../legs/arkade/failures.ts';
import type { OnlyIf } from '../../../legs/only-if.ts';
import type { SubmitAnswer } from '../../../legs/arkade/transaction.ts';
import { NotYet } from '../../not-yet.ts';
import { arkadeOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { refundInDoubt } from '../refund-in-doubt.ts';
import { judgedOnceNoted } from '../shown-first.ts';
import { deadlinePassed, tooLate } from '../late.ts';
import type { ArkadeContext } from './context.ts';
import { isUnrolled } from './coin.ts';
import { isBrought, whyUnrolled } from './on-chain.ts';
import { saveOwnWays } from './own-ways.ts';

export async function submit(effect: EffectOf<'vhtlc.submit'>, context: ArkadeContext): Promise<void> {
  const { ports, store } = context;
  const bytes = store.transactions.bytes(effect.txid);
  if (bytes === null) return; // closed by an earlier run whose answer was saved
  const arkade = arkadeOf(ports);
  const { onlyIf } = effect;
  const isFirst = onlyIf !== undefined && !isShown(effect, context);
  if (isFirst) {
    const isBegun = async (): Promise<boolean> => ['accepted', 'final'].includes(await arkade.state(bytes));
    const inDoubt = effect.purpose === 'lock' ? refundInDoubt(store, context.row.subject) : null;
    const look = (): Promise<string | null> => context.judge.forbidden(onlyIf, 0, isBegun);
    const reason =
      inDoubt ?? (await look()) ?? (onlyIf.reveal === undefined ? null : await judgedOnceNoted(look, shownBy(context)));
    if (reason !== null) {
      // An earlier run may have sent it: what the operator has seen is refused by nobody any more.
      const state = await arkade.state(bytes);
      if (state === 'unknown') throw arkadeFailure('unknown', 'ask-first', 'it is not known whether the lock was sent');
      if (state === 'unseen') return refused(effect, context, 'late', reason);
      if (state === 'accepted' && effect.purpose === 'lock') await stillWanted(onlyIf, context);
    }
  }
  await answerSubmit(effect, context, await send(bytes, isFirst && onlyIf.reveal !== undefined, context), bytes);
}

/** The note that a call may have shown the secret. */
function shownBy({ store: { intents }, row: { subject }, bundled }: ArkadeContext) {
  const make = (): void => intents.note('payment', subject, null);
  return { make, drop: (): void => intents.drop('payment', subject), bundled };
}

/**
 * Whether an earlier try may have shown a secret that is held back until it is safe: then nothing holds it back any
 * more.
 */
function isShown(
  { onlyIf }: EffectOf<'vhtlc.submit' | 'vhtlc.claim'>,
  { store, row }: Pick<ArkadeContext, 'store' | 'row'>,
): boolean {
  return onlyIf?.reveal !== undefined && store.intents.has('payment', row.subject);
}

/**
 * Why a claim of which nothing is signed yet is not made any more, by the clocks alone: an operator that says nothing
 * must not keep what was given for its coin (facts/faults.md 183). Null where it is made, or its secret may be out.
 */
export function tooLateToClaim(effect: EffectOf<'vhtlc.claim'>, context: ArkadeContext): string | null {
  const { store, row, clock } = context;
  if (effect.onlyIf === undefined || isShown(effect, context)) return null;
  const isSigned = store.transactions
    .of(row.subject, 'arkade')
    .some(({ purpose, state }) => purpose === 'claim' && state !== 'dead');
  return isSigned ? null : tooLate(effect.onlyIf, clock.now());
}

/**
 * What we give with such a claim is the secret. Whatever the operator answers, it has read it; a call without an answer
 * may have brought it, and no answer of an operator tells later that it did not: that was noted before. A call that
 * never went leaves the claim to the last look (facts/faults.md 17). `shows`: it is the first that may bring it.
 */
async function send(bytes: Uint8Array, shows: boolean, context: ArkadeContext): Promise<SubmitAnswer> {
  try {
    return await arkadeOf(context.ports).submit(bytes);
  } catch (cause) {
    if (shows && cause instanceof PortFailure && cause.retry === 'safe') {
      shownBy(context).drop();
      await context.bundled();
    }
    throw cause;
  }
}

async function answerSubmit(
  effect: EffectOf<'vhtlc.submit'>,
  context: ArkadeContext,
  submitted: SubmitAnswer,
  bytes: Uint8Array,
): Promise<void> {
  switch (submitted.is) {
    case 'accepted':
      return context.together(() => accepted(effect, submitted.bytes, bytes, context));
    case 'final':
      return context.together(() => final(effect, context));
    case 'later':
      throw new NotYet(submitted.seconds, submitted.reason, submitted.alarm);
    case 'claimed':
      await tellClaim(submitted, context);
      throw new NotYet(1, 'the other party has registered its claim for a batch');
    case 'spent': {
      // Spent by our own transaction looks alike: only a transaction that the operator never saw is really beaten.
      const state = await arkadeOf(context.ports).state(bytes);
      if (state !== 'unseen')
        throw arkadeFailure('unknown', 'ask-first', `the operator says spent, and that our transaction is ${state}`);
      return refused(effect, context, 'spent', 'an input was spent by another transaction');
    }
    case 'recoverable':
      return refused(effect, context, 'recoverable', 'an input expired');
    case 'unrolled': {
      const { why, reason } = await whyUnrolled(effect.coin, context.ports.bitcoin);
      return refused(effect, context, why, reason);
    }
    case 'refused':
      // Brought there because of that, by an operator that never says so (facts/faults.md 352).
      return (await isThere(effect, context))
        ? refused(effect, context, 'unrolled', 'the coin was brought to the chain')
        : refused(effect, context, 'refused', submitted.reason);
  }
}

async function isThere({ purpose, coin }: EffectOf<'vhtlc.submit'>, { store, ports }: ArkadeContext): Promise<boolean> {
  return purpose !== 'lock' && coin !== undefined && isBrought(coin, { store, bitcoin: ports.bitcoin });
}

/** Its swap hears of the preimage at once: a round may take the claim out of sight before any look. */
async function tellClaim(
  { coin: outpoint, preimage }: Extract<SubmitAnswer, { is: 'claimed' }>,
  { ports, tell }: ArkadeContext,
): Promise<void> {
  const coin = (await arkadeOf(ports).coinsAt([outpoint])).find((one) => sameOutpoint(one.outpoint, outpoint));
  if (coin !== undefined)
    tell({ is: 'vhtlc.seen', coins: [{ ...coin, spend: { leaf: 'claim', preimage, unsigned: true } }] });
}

function accepted(
  effect: EffectOf<'vhtlc.submit'>,
  signed: Uint8Array,
  bytes: Uint8Array,
  { answer, row }: ArkadeContext,
): void {
  const { purpose, txid } = effect;
  answer(
    { is: 'vhtlc.accepted', ...ofEffect(effect) },
    {
      always(store, now) {
        // Given up while it was on its way; of a swap's own coin it is finished all the same, and that takes its bytes.
        if (purpose !== 'lock' && store.transactions.byId(txid)?.state === 'dead')
          store.transactions.insert(
            { ...btcOn('arkade'), txid, subject: row.subject, leg: 'arkade', purpose, bytes, inputs: [] },
            now,
          );
        store.transactions.accepted(txid, signed, now);
      },
    },
  );
}

function final(effect: EffectOf<'vhtlc.submit' | 'vhtlc.finalize'>, { answer }: Pick<ArkadeContext, 'answer'>): void {
  answer(
    { is: 'vhtlc.final', ...ofEffect(effect) },
    { always: (store, now) => store.transactions.close(effect.txid, 'final', now) },
  );
}

function refused(
  effect: EffectOf<'vhtlc.submit' | 'vhtlc.finalize'>,
  { answer }: ArkadeContext,
  why: RefusedFor,
  reason: string,
): void {
  answer(
    { is: 'vhtlc.refused', ...ofEffect(effect), why, reason },
    { always: (store, now) => store.transactions.close(effect.txid, 'dead', now) },
  );
}

/** Whose transaction an answer is about, and the coin of the VHTLC that it takes. */
function ofEffect({ purpose, txid, coin }: EffectOf<'vhtlc.submit' | 'vhtlc.finalize'>) {
  return { purpose, txid, ...(coin === undefined ? {} : { coin }) };
}

/**
 * Whether what the operator says to have half is gone on with: by its word alone no lock is made after the client's leg
 * ended (facts/faults.md 328), nor late where that may have been signed away.
 */
async function stillWanted(onlyIf: OnlyIf, { judge, clock, store, row }: ArkadeContext): Promise<void> {
  const inDoubt = deadlinePassed(onlyIf, clock.now()) ? refundInDoubt(store, row.subject) : null;
  if (inDoubt !== null) throw arkadeFailure('lock-unpaid', 'never', inDoubt);
  await judge.stillWanted(onlyIf);
}

export async function finalize(effect: EffectOf<'vhtlc.finalize'>, context: ArkadeContext): Promise<void> {
  const { ports, store } = context;
  const { purpose, txid, onlyIf } = effect;
  const bytes = store.transactions.bytes(txid);
  if (bytes === null) return;
  const arkade = arkadeOf(ports);
  const now = context.clock.now();
  const mayBeTooLate = onlyIf !== undefined && (now.bitcoin.mtp === null || deadlinePassed(onlyIf, now));
  if (mayBeTooLate && purpose === 'lock') {
    // It may have our signatures since an earlier try, and is real then.
    if ((await arkade.state(bytes)) === 'final') return context.together(() => final(effect, context));
    await stillWanted(onlyIf, context);
  }
  // Not of a lock: by the way of its change it would come to the chain although it was never finished.
  if (purpose !== 'lock') await saveOwnWays(txid, bytes, context);
  try {
    await arkade.finalize(bytes);
  } catch (cause) {
    // Of a lock the operator holds all our signatures now: it may still come to the chain, so a person looks first.
    if (!isUnrolled(cause) || purpose === 'lock') throw cause;
    const { why, reason } = await whyUnrolled(effect.coin, ports.bitcoin);
    return refused(effect, context, why, reason);
  }
  const state = await arkade.state(bytes);
  if (state !== 'final') throw new NotYet(null, `the operator says that the transaction is ${state}`);
  await context.together(() => final(effect, context));
}
