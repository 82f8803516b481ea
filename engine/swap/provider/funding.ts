import type { Clocks } from '../../domain/time.ts';
import type { Queue } from '../../legs/leg.ts';
import { isFact, stepTo, type Along, type News } from '../halves/answer.ts';
import type { DoubtFact, FundFact, FundStates } from '../halves/fund.ts';
import type { Event, SwapOutcome, SwapStep } from '../machine.ts';
import { bothLegs, type Pair, type StandingState, type State, type WaitingState } from './direction.ts';

type Legs = readonly Queue[];
type Declined = Extract<FundFact<FundStates>, { fact: 'declined' }>;

/** The client's lock is sure, and worth our part: that is asked for. */
export function whenWaiting(pair: Pair, t: unknown, p: State, event: Event, now: Clocks): SwapOutcome<State> {
  const answer = pair.claim.waiting(t, p as WaitingState, event, now);
  if (!isFact(answer)) return answer;
  const { sure, sight, waits } = answer;
  const unsafe = pair.judge(t, sight, now);
  if (unsafe === null) return begun(pair, t, sure);
  if (unsafe.unsafe === 'never')
    return declined(pair, t, sure, { fact: 'declined', why: 'late', reason: unsafe.sentence, doubt: null });
  return waits === null ? 'stay' : stepTo(waits);
}

/** Our part is asked for. */
function begun({ claim, fund, onlyIf }: Pair, t: unknown, sure: object): SwapStep<State> {
  return stepTo({ at: 'funded', ...claim.kept(sure) }, {}, fund.begin(t, onlyIf(t, sure)));
}

/** While ours is out, only the half that funds changes the stage. */
export function whenStanding(pair: Pair, t: unknown, p: StandingState, event: Event, now: Clocks): SwapOutcome<State> {
  const { claim, fund } = pair;
  if (claim.isLook(event)) return whenLooked(pair, claim.backing(t, p, event) as SwapOutcome<State>);
  const sight = claim.sight(t, p);
  const answer = fund.standing(t, p, event, now, {
    ...claim.surely(t, p),
    judge: (at) => (sight === null ? null : pair.judge(t, sight, at)),
    onlyIf: pair.onlyIf(t, p),
  });
  if (answer === null) return 'stay';
  return isFact(answer) ? whenAnswered(pair, t, p, answer) : answer;
}

/** What the client gave went back before ours was out: what was asked for of either half is not wanted any more. */
function whenLooked(pair: Pair, outcome: SwapOutcome<State>): SwapOutcome<State> {
  const ends = outcome !== 'stay' && outcome.progress.at === 'stopped';
  return ends ? { ...outcome, supersedes: bothLegs(pair) } : outcome;
}

/** What our part comes to, given for `sure`. */
export function whenAnswered(
  pair: Pair,
  t: unknown,
  sure: object,
  answer: Exclude<News<DoubtFact<FundStates>, Legs>, { fact: 'settled' }>,
): SwapOutcome<State> {
  const { claim } = pair;
  switch (answer.fact) {
    case 'next':
      return stepTo({ ...answer.next, ...claim.kept(sure) }, answer.along);
    case 'again':
      return begun(pair, t, sure);
    case 'declined':
      return declined(pair, t, sure, answer);
    case 'revealed':
      return claiming(pair, t, sure, answer.revealed, answer.along);
    // What the client gave cannot be taken, and is kept from it by nothing.
    case 'forfeit':
      return stepTo({ at: 'lost', ...claim.forgone(sure), ...answer.revealed }, answer.along, ...claim.release(t));
    case 'returned': {
      const { at: _, why: __, ...left } = claim.givenBack(t, sure, 'wont', answer.reason);
      return stepTo({ at: 'returned', ...left, ...answer.returned }, answer.along, ...claim.release(t));
    }
  }
}

/**
 * Nothing of ours will be with the client, but for what is in doubt: while that may be claimed, what the client gave is
 * kept.
 */
function declined(
  { claim, fund }: Pair,
  t: unknown,
  sure: object,
  { why, reason, doubt, along }: News<Declined, Legs>,
): SwapStep<State> {
  const inDoubt = doubt === null ? {} : { doubt: { ...doubt, ...claim.seed(sure) } };
  const isKept = doubt !== null && fund.forbidsRefund(doubt);
  return stepTo({ ...claim.givenBack(t, sure, why, reason), ...inDoubt }, along, ...(isKept ? [] : claim.release(t)));
}

/**
 * The secret is ours: the client's lock is claimed, and nothing but its end stops that. The claim waits for nothing
 * that was asked for at the lock before.
 */
function claiming(
  { claim }: Pair,
  t: unknown,
  sure: object,
  revealed: object,
  along: Along<Legs> = {},
): SwapStep<State> {
  const { interrupts = [] } = along;
  const step = { ...along, interrupts: [claim.leg, ...interrupts] };
  return stepTo({ at: 'claiming', ...claim.begin(sure), ...revealed }, step, claim.take(t, sure));
}
