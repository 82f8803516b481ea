import type { Clocks } from '../../domain/time.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import type { Queue } from '../../legs/leg.ts';
import { isFact, stepTo, type Along } from '../../swap/halves/answer.ts';
import { ofLeg } from '../../swap/halves/own-leg.ts';
import type { Event, SwapOutcome, SwapStep } from '../../swap/machine.ts';
import { withWord } from '../halves/fund.ts';
import { whenCreating } from '../opening.ts';
import type { OrderTerms } from '../terms.ts';
import { begun, copied } from './copied.ts';
import { besideOf, claimOf, type Agreed, type ClaimingState, type Pair, type State } from './pair.ts';
import { restored } from './restored.ts';

type Legs = readonly Queue[];

/** One event, in any stage. */
export function step(
  pair: Pair,
  t: OrderTerms,
  p: State,
  event: Event,
  now: Clocks,
  decode: DecodeInvoice,
): SwapOutcome<State> {
  if (event.is === 'copied') return copied(pair, p);
  if (p.at === 'creating')
    return whenCreating(t, event, now, {
      verify: (record) => pair.verify(record, t, now, decode),
      begin: (deal) => begun(pair, { ...pair.fund.begin(deal), target: pair.claim.none }, p.copied === true),
    });
  if (p.at === 'refused') return 'stay';
  return t.restored === undefined
    ? agreed(pair, t, p, event, now)
    : restored(pair, t, p, event, now, (news) => agreed(pair, t, p, news, now));
}

/** A half hears of transactions of its own leg alone, and what it drops is what was asked for on its own leg. */
function agreed(pair: Pair, t: OrderTerms, p: Agreed | ClaimingState, event: Event, now: Clocks): SwapOutcome<State> {
  const news = pair.claim.told?.(p.target, event) ?? null;
  if (news !== null)
    return news === 'stay' ? news : { ...ofLeg(pair.claim.leg).named(news), progress: { ...p, target: news.progress } };
  if (p.at === 'claiming') return whenClaiming(pair, t, p, event, now);
  return event.is === pair.claim.look ? whenOffered(pair, t, p, event, now) : whenFunding(pair, t, p, event, now);
}

/** The provider's lock while ours stands, or is not there yet: safe to reveal for, it is claimed. */
function whenOffered(pair: Pair, t: OrderTerms, p: Agreed, event: Event, now: Clocks): SwapOutcome<State> {
  const { claim, fund } = pair;
  if (!fund.awaits(p) || claim.fate(p.target, fund.isTaken(p)) !== null) return 'stay';
  const answer = ofLeg(claim.leg).named(claim.offered(claimOf(pair, t, p, now), p.target, event, now));
  if (answer === 'stay') return 'stay';
  if (!isFact(answer)) return { ...answer, progress: { ...p, target: answer.progress } };
  switch (answer.fact) {
    case 'claiming':
      // From here on nothing of ours is taken back before the claim has ended.
      return stepTo<State, Legs>(
        { at: 'claiming', ...fund.base(p), target: answer.target },
        { ...answer.along, supersedes: bothLegs(pair) },
      );
    case 'bought':
      return stepTo<State, Legs>({ ...fund.bought(p), target: answer.target }, answer.along);
    case 'spoiled':
      return spoiled(pair, p, answer);
  }
}

function whenClaiming(pair: Pair, t: OrderTerms, p: ClaimingState, event: Event, now: Clocks): SwapOutcome<State> {
  const { claim, fund } = pair;
  if (event.is === 'provider.seen') return withWord(p, event.status) as SwapOutcome<State>;
  const ours = fund.meanwhile(t, p, event, now);
  if (ours !== null) {
    const step = ofLeg(fund.leg).named(ours);
    return step === 'stay' ? step : { ...step, progress: { ...p, ...fund.base(step.progress) } };
  }
  const { hears, named } = ofLeg(claim.leg);
  if (!hears(event)) return 'stay';
  const answer = named(claim.claiming(claimOf(pair, t, p, now), p.target, event, now));
  if (answer === 'stay') return 'stay';
  if (!isFact(answer)) return { ...answer, progress: { ...p, target: answer.progress } };
  switch (answer.fact) {
    case 'unclaimed':
      return stepTo<State, Legs>({ ...fund.unclaimed(p), target: answer.target }, answer.along);
    case 'bought':
      return stepTo<State, Legs>({ ...fund.bought(p), target: answer.target }, answer.along);
    case 'spoiled':
      return spoiled(pair, p, answer);
  }
}

/** What becomes of ours, on its own network. */
function whenFunding(pair: Pair, t: OrderTerms, p: Agreed, event: Event, now: Clocks): SwapOutcome<State> {
  const { claim, fund } = pair;
  const { hears, named } = ofLeg(fund.leg);
  if (!hears(event)) return 'stay';
  const answer = named(fund.step(t, p, event, now, besideOf(pair, t, p)));
  if (answer === 'stay') return 'stay';
  if (!isFact(answer)) return { ...answer, progress: { ...answer.progress, target: p.target } };
  return stepTo<State, Legs>(
    { ...answer.lost, target: { ...claim.none, ...p.target, takenBack: true } },
    { ...answer.along, supersedes: bothLegs(pair), flag: hasBoth(pair) },
  );
}

/** The provider took its own back, although our secret may have left us. */
function spoiled(
  pair: Pair,
  p: Agreed | ClaimingState,
  { target, isShown, along }: { readonly target: object; readonly isShown: boolean; readonly along?: Along<Legs> },
): SwapStep<State> {
  const { claim, fund } = pair;
  const next = fund.spoiled(p);
  const isOver = fund.isTaken(p);
  const flag = isOver
    ? hasBoth(pair)
    : `The provider took ${claim.theirs} back while this node claimed it: ${fund.whenSpoiled}`;
  return stepTo<State, Legs>(
    { ...next, target },
    { ...along, ...(isOver ? { supersedes: bothLegs(pair) } : {}), ...(isShown ? { flag } : {}) },
  );
}

function bothLegs({ claim, fund }: Pair): Legs {
  return [claim.leg, fund.leg];
}

function hasBoth({ fund }: Pair): string {
  return `The provider took ${fund.ours} with our secret, and its own side cannot be claimed: it owes you the swap.`;
}
