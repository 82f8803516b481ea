import { PortFailure } from '../../domain/errors.ts';
import { furthest, type Clocks } from '../../domain/time.ts';
import { safeToLock, safeToPay, safeToReveal, type Safety } from '../../legs/safety.ts';
import { stopLine } from '../../legs/timelocks.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import { NotYet } from '../outbox.ts';
import { arkadeOf, coinNow, lightningOf, type EffectContext } from './context.ts';

/** What can be told by the clock alone, before any network is asked. Null, or the reason why the act may never be started. */
export function tooLate(onlyIf: OnlyIf, { clock }: EffectContext): string | null {
  return isLate(onlyIf, clock.now()) ? 'Too little time was left.' : null;
}

/** Judges the conditions of an act now. Null when it may be started, else the reason why it never may. */
export async function forbidden(
  onlyIf: OnlyIf,
  maxTimeoutHeight: number,
  context: EffectContext,
): Promise<string | null> {
  const late = tooLate(onlyIf, context);
  if (late !== null) return late;
  if (onlyIf.held !== undefined) return judged(await judgeHeld(onlyIf.held, context));
  if (onlyIf.reveal !== undefined) return judged(await judgeReveal(onlyIf.reveal, context));
  if (onlyIf.coin !== undefined) return judged(await judgeCoin(onlyIf.coin, maxTimeoutHeight, context));
  return null;
}

/**
 * Whether an act may not be started any more. What ends at a timelock, a lock or a claim, is late by the chain's clock
 * alone; a payment is tried by the wall for as long as its client was promised, and what is safe is judged beside that.
 */
export function isLate({ notAfter, held, reveal }: OnlyIf, clocks: Clocks): boolean {
  return (held === undefined && reveal === undefined ? clocks.wall : (furthest(clocks).mtp ?? 0)) > notAfter;
}

function judged(safety: Safety): string | null {
  if (safety === null) return null;
  if (safety.unsafe === 'wait') throw new NotYet(null, safety.sentence);
  return safety.sentence;
}

async function judgeHeld(held: NonNullable<OnlyIf['held']>, { ports, clock }: EffectContext): Promise<Safety> {
  const state = await lightningOf(ports).hold(held.hash);
  if (state.is !== 'held') return { unsafe: 'never', sentence: `The payment is not held any more but ${state.is}.` };
  const { sourceAmount, vhtlcRefundLocktime, policy } = held;
  return safeToLock({ held: state, sourceAmount, vhtlcRefundLocktime }, await asLightningSees(ports, clock), policy);
}

/**
 * The node that would cancel the held payment counts blocks by itself: a Bitcoin endpoint that fell behind must not
 * show more blocks left than there are (facts/faults.md 36).
 */
async function asLightningSees(ports: EffectContext['ports'], clock: EffectContext['clock']): Promise<Clocks> {
  const { height } = await lightningOf(ports).info();
  const now = clock.now();
  if (now.height === null) return now;
  const known = furthest(now);
  return { ...now, ahead: { ...known, height: Math.max(known.height ?? 0, height) } };
}

/**
 * A lock that was accepted long ago, its answer lost, is no coin yet. Finished after the held payment went back it would
 * be the client's for nothing, so then it stays unfinished and a person is told.
 */
export async function stillWanted(onlyIf: OnlyIf, { ports, clock }: EffectContext): Promise<void> {
  const { held } = onlyIf;
  const now = clock.now();
  if (held === undefined || (now.mtp !== null && !isLate(onlyIf, now))) return;
  const state = await lightningOf(ports).hold(held.hash);
  const clocks = await asLightningSees(ports, clock);
  const { height } = furthest(clocks);
  if (clocks.height === null || height === null) throw new NotYet(null, 'the Bitcoin clock has not been read');
  if (state.is === 'held' && height < stopLine(state.expiryHeight, held.policy)) return;
  throw new PortFailure(
    'hold-gone',
    'never',
    `the payment for this lock is ${state.is} and not ours to settle any more: the lock, half accepted by the operator, is not finished`,
  );
}

async function judgeCoin(
  facts: NonNullable<OnlyIf['coin']>,
  maxTimeoutHeight: number,
  { ports, clock }: EffectContext,
): Promise<Safety> {
  const coin = await coinNow(arkadeOf(ports), facts.script, facts.outpoint);
  const { sourceAmount, refundLocktime, finalCltv, invoiceExpiresAt, policy } = facts;
  return safeToPay(
    { coin, sourceAmount, refundLocktime, maxTimeoutHeight, finalCltv, invoiceExpiresAt },
    clock.now(),
    policy,
  );
}

async function judgeReveal(facts: NonNullable<OnlyIf['reveal']>, { ports, clock }: EffectContext): Promise<Safety> {
  const coin = await coinNow(arkadeOf(ports), facts.script, facts.outpoint);
  const { targetAmount, refundLocktime, policy } = facts;
  return safeToReveal({ coin, targetAmount, refundLocktime }, clock.now(), policy);
}
