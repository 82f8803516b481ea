import type { Clocks } from '../../domain/time.ts';
import type { Queue } from '../../legs/leg.ts';
import { isFact, stepTo, type News } from '../halves/answer.ts';
import type { ClaimEnd, ClaimStates } from '../halves/claim.ts';
import type { FundStates, NeitherFact } from '../halves/fund.ts';
import type { Event, SwapOutcome, SwapStep } from '../machine.ts';
import { bothLegs, type Pair, type Revealed, type State } from './direction.ts';

type Legs = readonly Queue[];

/** The client's lock is claimed, or was: what its end does not decide, ours may. */
export function whenRevealed(pair: Pair, t: unknown, p: Revealed, event: Event, now: Clocks): SwapOutcome<State> {
  const { claim, fund } = pair;
  const answer =
    p.at === 'claiming' ? claim.claiming(t, p, event, now, fund.isPaidBack(p)) : claim.over(t, p, event, now);
  if (answer === null) return whenOursEnds(pair, t, p, event, now);
  return isFact(answer) ? whenClaimEnds(pair, t, p, answer) : (answer as SwapOutcome<State>);
}

function whenClaimEnds(
  pair: Pair,
  t: unknown,
  p: Revealed,
  answer: News<ClaimEnd<ClaimStates>, Legs>,
): SwapStep<State> {
  const { claim, fund } = pair;
  if (answer.fact === 'claimed')
    return stepTo({ at: 'claimed', ...answer.claimed, ...fund.onceClaimed(fund.kept(p)) }, answer.along);
  const ours = fund.lost(t, p, `The client took ${claim.name} back`, claim.surely(t, p));
  if (ours.fact === 'neither') return whenNeither(pair, p, ours);
  const { supersedes = [] } = ours.along ?? {};
  const lost: State = { at: 'lost', ...answer.lost, ...ours.revealed };
  return stepTo(lost, { ...ours.along, supersedes: [claim.leg, ...supersedes] });
}

/** What becomes of our own part. */
export function whenOursEnds(pair: Pair, t: unknown, p: Revealed, event: Event, now: Clocks): SwapOutcome<State> {
  const answer = pair.fund.revealed(t, p, event, now, pair.claim.surely(t, p));
  if (answer === null) return 'stay';
  return isFact(answer) ? whenNeither(pair, p, answer) : (answer as SwapOutcome<State>);
}

/** Each has its own again. */
function whenNeither(
  pair: Pair,
  p: Revealed,
  { returned, along }: News<NeitherFact<FundStates>, Legs>,
): SwapStep<State> {
  return stepTo({ ...pair.claim.back(p), returned }, { ...along, supersedes: bothLegs(pair) });
}
