import type { Clocks } from '../../domain/time.ts';
import { move, type SwapOutcome } from '../machine.ts';
import { isWaiting, type Pair, type State, type Stopped } from './direction.ts';

/**
 * Other terms than those of before (DECISIONS.md, "A client of the Boltz interface agrees to terms twice").
 *
 * Loses money when wrong: other terms for what something was given for, or may have been, or whose refund is signed.
 */
export function whenAmended(pair: Pair, t: unknown, p: State, now: Clocks): SwapOutcome<State> {
  if (!isWaiting(pair, p) && (p.at !== 'stopped' || p.doubt !== undefined)) return 'stay';
  const next = pair.claim.amended?.(t, p as Stopped, now) ?? null;
  return next === null ? 'stay' : move<State>(next);
}
