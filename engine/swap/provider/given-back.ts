import type { Clocks } from '../../domain/time.ts';
import type { Queue } from '../../legs/leg.ts';
import { partOf } from '../../legs/shape.ts';
import { isFact, stepTo, type Along, type Answer } from '../halves/answer.ts';
import type { DoubtFact, ForgottenAmount, FundStates } from '../halves/fund.ts';
import type { Event, SwapOutcome } from '../machine.ts';
import type { GivenBack, Pair, State, Stopped } from './direction.ts';
import { whenAnswered } from './funding.ts';

/**
 * The client's lock is not claimed: watched until it is refunded, while a part of ours that was called off may still
 * turn up.
 */
export function whenGivenBack(pair: Pair, t: unknown, p: GivenBack, event: Event, now: Clocks): SwapOutcome<State> {
  const { claim, fund } = pair;
  const { doubt } = p;
  // Of what an older copy of the database forgot: what the client gave must be there to pay for it.
  const isOver = doubt === undefined && (p.at === 'refunded' || (!fund.isPayment && claim.remaining(t, p) === null));
  const answer = isOver ? null : fund.doubted(t, doubt ?? null, event, now, heldBy(pair, t));
  if (answer !== null) return answer === 'stay' ? 'stay' : whenDecided(pair, t, p, answer);
  if (p.at === 'refunded') return whenRefunded(pair, t, p, event, now);
  if (doubt === undefined) return claim.stopped(t, p, event, now);
  if (claim.isRefund(event) && fund.forbidsRefund(doubt) && !claim.isFenced(p)) return 'stay';
  const outcome = claim.stopped(t, p, event, now);
  if (outcome === 'stay' || outcome.progress.at === 'lapsed') return 'stay';
  const lasts = outcome.progress.at === 'stopped' || fund.outlasts;
  return lasts ? { ...outcome, progress: { ...outcome.progress, doubt } } : outcome;
}

/** Terms that may be amended say no more than what was agreed on before that. */
function heldBy({ claim }: Pair, t: unknown): ForgottenAmount {
  const { amended } = t as { readonly amended?: true };
  return claim.amended === undefined || amended === true ? 'as agreed' : 'any amount';
}

function whenRefunded(
  { claim, fund }: Pair,
  t: unknown,
  p: GivenBack & { at: 'refunded' },
  event: Event,
  now: Clocks,
): SwapOutcome<State> {
  // What is called spent may not be: while a lock may stand for it nothing is signed.
  if (p.doubt !== undefined && !fund.isPayment && claim.isRefund(event)) return 'stay';
  const answer = p.returned === undefined ? null : fund.afterReturn(p.returned, event);
  // What came back is as it was: only what it cost is new.
  return answer === null ? claim.refunded(t, p, event, now) : { ...answer, progress: p };
}

/** What was called off is known now. */
function whenDecided(
  pair: Pair,
  t: unknown,
  p: GivenBack,
  answer: Exclude<Answer<object, DoubtFact<FundStates>, readonly Queue[]>, 'stay'>,
): SwapOutcome<State> {
  const { claim, fund } = pair;
  if (!isFact(answer)) {
    const { progress, ...step } = answer;
    return { ...step, progress: { ...p, doubt: { ...p.doubt, ...progress } } };
  }
  const { doubt, ...rest } = p;
  // The very state where nothing is in doubt: a step that changes nothing is no news.
  const settled = doubt === undefined ? p : rest;
  if (answer.fact === 'settled') {
    const isHeld = doubt !== undefined && fund.forbidsRefund(doubt) && !(p.at === 'stopped' && claim.isBack(p));
    return stepTo(settled, answer.along, ...(isHeld ? claim.release(t) : []));
  }
  const isFenced = p.at === 'stopped' && claim.isFenced(p);
  const sure =
    fund.isPayment || doubt === undefined ? claim.remaining(t, p) : isFenced ? null : claim.resumed(p, doubt);
  if (sure !== null)
    return whenAnswered(pair, t, sure, fund.isPayment || doubt !== undefined ? answer : notReleased(claim, answer));
  const { ledger = [], flag = '', ...along } = answer.along ?? {};
  return stepTo(settled, {
    ...along,
    flag: `${flag} What its client had locked is refunded, or may be.`,
    ...(doubt === undefined ? {} : { ledger: [...ledger, fund.loss(t)] }),
  });
}

/** Our lock, which was forgotten, stands: what the client gave for it is not given back, as was asked for. */
function notReleased<A extends { readonly along?: Along<readonly Queue[]> }>({ leg }: Pair['claim'], answer: A): A {
  const { supersedes: _, ...along } = answer.along ?? {};
  return { ...answer, along: { ...along, interrupts: [leg] } };
}

/** The client has its lock again, or may: nothing of ours is out. */
export function whenReturned(
  { claim, fund }: Pair,
  t: unknown,
  p: State,
  event: Event,
  now: Clocks,
): SwapOutcome<State> {
  const answer = fund.afterReturn(p, event);
  if (answer !== null) return answer as SwapOutcome<State>;
  const returned = partOf(fund.fields.returned)({ ...p });
  const outcome = claim.stopped(t, { reason: '', ...p, at: 'stopped', why: 'wont' }, event, now);
  if (outcome === 'stay') return 'stay';
  const { progress, ...step } = outcome;
  switch (progress.at) {
    case 'refunded':
      return { ...step, progress: { ...progress, returned } };
    case 'lapsed':
      return outcome;
    case 'stopped': {
      const { why: _, ...left } = progress as Stopped;
      return claim.isBack(progress as Stopped)
        ? { ...step, progress: { ...claim.back(progress), returned } }
        : { ...step, progress: { ...left, at: 'returned', ...returned } };
    }
  }
}
