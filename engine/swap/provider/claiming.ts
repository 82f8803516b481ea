import type { Clocks } from '../../domain/time.ts';
import { isFact, queuedBehind, stepTo, type News } from '../halves/answer.ts';
import type { ClaimEnd, ClaimStates } from '../halves/claim.ts';
import type { FundStates, NeitherFact } from '../halves/fund.ts';
import type { Event, Outcome, Step } from '../machine.ts';
import type { Pair, Revealed, State } from './direction.ts';

/** The client's lock is claimed, or was: what its end does not decide, ours may. */
export function whenRevealed(pair: Pair, t: unknown, p: Revealed, event: Event, now: Clocks): Outcome<State> {
  const { claim, fund } = pair;
  const answer =
    p.at === 'claiming' ? claim.claiming(t, p, event, now, fund.isPaidBack(p)) : claim.over(t, p, event, now);
  if (answer === null) return whenOursEnds(pair, t, p, event, now);
  return isFact(answer) ? whenClaimEnds(pair, t, p, answer) : lasting(pair, t, answer as Outcome<State>);
}

function whenClaimEnds(pair: Pair, t: unknown, p: Revealed, answer: News<ClaimEnd<ClaimStates>>): Outcome<State> {
  const { claim, fund } = pair;
  const revealed = fund.kept(p);
  if (answer.fact === 'claimed') {
    const { supersedes, ...along } = answer.along ?? {};
    const drops = supersedes === undefined || fund.isBusy(p) ? {} : { supersedes };
    return lasting(
      pair,
      t,
      stepTo({ at: 'claimed', ...answer.claimed, ...fund.onceClaimed(revealed) }, { ...along, ...drops }),
    );
  }
  const ours = fund.lost(t, p, `The client took ${claim.name} back`, claim.surely(t, p));
  if (ours.fact === 'neither') return whenNeither(pair, p, ours);
  const lost = { at: 'lost', ...answer.lost, ...ours.revealed };
  return lasting(pair, t, stepTo(lost, { supersedes: true, ...ours.along }));
}

function lasting({ fund }: Pair, t: unknown, outcome: Outcome<State>): Outcome<State> {
  return outcome === 'stay' ? 'stay' : queuedBehind(outcome, (progress) => fund.lasting(t, progress));
}

function whenOursEnds(pair: Pair, t: unknown, p: Revealed, event: Event, now: Clocks): Outcome<State> {
  const answer = pair.fund.revealed(t, p, event, now, pair.claim.surely(t, p));
  if (answer === null) return 'stay';
  return isFact(answer) ? whenNeither(pair, p, answer) : (answer as Outcome<State>);
}

/** Each has its own again. */
function whenNeither({ claim }: Pair, p: Revealed, { returned, along }: News<NeitherFact<FundStates>>): Step<State> {
  return stepTo({ ...claim.back(p), returned }, along);
}
