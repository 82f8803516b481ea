import { going, over, type StepTrack, type TurnView } from '../facts.ts';
import { shut } from '../steps.ts';
import type { OrderTerms } from '../terms.ts';
import { besideOf, type Agreed, type ClaimingState, type Pair, type State } from './pair.ts';

/** Whose turn it is and what comes after. */
export function stepsOf(pair: Pair, p: State, t: OrderTerms): TurnView {
  const { claim, fund } = pair;
  const { begin } = fund.view.tracks;
  const on = [...begin, ...claim.view.track];
  switch (p.at) {
    case 'creating':
      return going('creating', { who: 'provider', step: 'create', until: t.createBefore }, on);
    case 'refused':
      return over('refused', shut);
    case 'claiming':
      return going('claim', claim.view.claimTurn(t, p.deal, p.target), on);
    case 'claimed':
      return over('finished', on);
    case 'lost':
      return over('lost', shut);
    case 'done':
      return doneAs(pair, p, on);
    default:
      break;
  }
  const beside = besideOf(pair, t, p);
  // The provider has ours: what it locked is all that is left to us.
  if (p.at === 'funded' && beside.fate === null && fund.isTaken(p))
    return going('claim', { who: 'node', step: 'claim', until: beside.claimUntil }, on);
  return fund.view.turn(p, beside, on) ?? waits(pair, p, t);
}

/** Nothing is owed to us. */
function doneAs({ claim, fund }: Pair, p: Agreed, on: StepTrack): TurnView {
  const { back } = fund.view.tracks;
  const isTaken = fund.isTaken(p);
  const fate = claim.fate(p.target, isTaken);
  if (fate === 'ours') return over('finished', on);
  return over(fate === 'lost' && isTaken ? 'lost' : 'returned', back);
}

/** What is given lies there, or never will. */
function waits(pair: Pair, p: Exclude<Agreed, ClaimingState>, t: OrderTerms): TurnView {
  const { claim, fund } = pair;
  const { begin } = fund.view.tracks;
  if (p.at === 'lapsed') return over('unpaid', shut);
  const { turn, track = claim.view.track } = claim.view.waits(t, p.deal, p.target, fund.aloneFrom(p));
  return going('wait', turn, [...begin, ...track]);
}
