import type { Effect, Resumption } from '../machine.ts';
import { isRevealed, isStanding, type Pair, type Revealed, type State, type Stopped } from './direction.ts';

/*
 * What a swap owes by its state alone. Nothing is drawn from what it asked for before: an outbox that is gone costs no
 * claim, no refund and no payment that goes back.
 */

export function resumed(pair: Pair, t: unknown, p: State): Resumption<State> {
  const { claim, fund, onlyIf, judge } = pair;
  if (isStanding(pair, p)) {
    const sight = claim.sight(t, p);
    const effects = fund.resume(t, p, {
      ...claim.surely(t, p),
      judge: (at) => (sight === null ? null : judge(t, sight, at)),
      onlyIf: onlyIf(t, p),
    });
    return { progress: p, effects };
  }
  if (isRevealed(p)) return afterClaim(pair, t, p);
  return { progress: p, effects: givesBack(pair, t, p) };
}

function afterClaim({ claim, fund }: Pair, t: unknown, p: Revealed): Resumption<State> {
  const ours = fund.resumeRevealed(t, p, claim.surely(t, p));
  // Lost by a secret that takes nothing: what the client gave goes back.
  const back = p.at === 'lost' && claim.open(p) ? claim.release(t) : [];
  if (p.at !== 'claiming') return { progress: p, effects: [...back, ...ours] };
  const { progress, effects } = claim.resume(t, p);
  return { progress: { ...p, ...progress }, effects: [...effects, ...ours] };
}

/** What is held goes back, unless our part may be with the client after all. */
function givesBack({ claim, fund }: Pair, t: unknown, p: State): readonly Effect[] {
  if (p.at === 'returned') return claim.release(t);
  if (p.at !== 'stopped' || claim.isBack(p as Stopped)) return [];
  const isKept = p.doubt !== undefined && fund.forbidsRefund(p.doubt);
  return isKept ? [] : claim.release(t);
}
