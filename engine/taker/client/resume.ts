import type { Clocks } from '../../domain/time.ts';
import type { Resumption } from '../../swap/machine.ts';
import { createAt } from '../opening.ts';
import type { OrderTerms } from '../terms.ts';
import { besideOf, claimOf, isAgreed, type Pair, type State } from './pair.ts';

/** What a swap of our own owes by its state alone, told nothing of what it asked for before. */
export function resumed(pair: Pair, t: OrderTerms, p: State, now: Clocks, isShown = false): Resumption<State> {
  const { claim, fund } = pair;
  if (p.at === 'creating') return { progress: p, effects: createAt(t, pair.direction, pair.request(t)) };
  if (!isAgreed(p)) return { progress: p, effects: [] };
  if (p.at !== 'claiming') return { progress: p, effects: fund.resume(t, p, now, besideOf(pair, t, p)) };
  const { progress: target, effects } = claim.resume(claimOf(pair, t, p, now), p.target, now, isShown);
  return { progress: { ...p, target }, effects };
}
