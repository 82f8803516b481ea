import { after, isHeight, minute, seconds, unix, type Clocks, type Locktime, type Unix } from '../../domain/time.ts';
import type { Event, SwapOutcome } from '../../swap/machine.ts';
import type { OrderTerms, TakerProgress } from '../terms.ts';
import type { Agreed, ClaimingState, Pair, State } from './pair.ts';

/* A swap that was found again with its database gone: what was agreed is its provider's word. */

/** No clock ends it before the networks had this long to show what became of it. */
const looking = seconds(10 * minute);
/** What is paid too much, in hundredths, before what a provider says was agreed is not believed any more. */
const mostOverpaid = 2n;

const overpaid =
  'More was paid for this swap than its provider says now was agreed: its side is not claimed, and what was paid ' +
  'is taken back.';

export const sharedFlag =
  'Two swaps that were found again hang on one secret, which no honest record does: it is shown for neither, and what ' +
  'was paid is taken back.';

/** From the first on, where another swap of the same secret is here already. */
export function sharing<P extends TakerProgress>(progress: P): P & { readonly shared: true } {
  return { ...progress, shared: true };
}

/** The moment at which time alone may end it. */
export function lookFirst({ restored }: OrderTerms, at: Locktime): Locktime {
  return restored === undefined || isHeight(at) ? at : unix(Math.max(at, after(restored, looking)));
}

/** What one of its events comes to. */
export function restored(
  pair: Pair,
  t: OrderTerms,
  p: Agreed | ClaimingState,
  event: Event,
  now: Clocks,
  step: (event: Event) => SwapOutcome<State>,
): SwapOutcome<State> {
  if (event.is === 'secret.shared') return asShared(p);
  const hint = hintIn(p, event);
  if (hint !== null) return step(hint);
  return isIgnored(t, p, event, now) ? 'stay' : shown(pair, p, step(event));
}

/** With the claim under way the secret may have left us already. */
function asShared(p: Agreed | ClaimingState): SwapOutcome<State> {
  return p.at === 'claiming' || p.shared === true
    ? 'stay'
    : { progress: { ...p, shared: true }, effects: [], flag: sharedFlag };
}

/**
 * What paid an HTLC of ours is looked at, whoever names it: a coin that the provider took with our secret, in a life
 * that nobody remembers, is listed nowhere. Its word says nothing else yet.
 */
function hintIn(p: Agreed | ClaimingState, event: Event): Event | null {
  const isHint = p.at === 'waiting' && event.is === 'provider.seen' && event.paidIn !== undefined;
  return isHint ? { ...event, status: p.said } : null;
}

/**
 * The provider's word ends nothing before the networks were looked at, and nothing is paid or signed for it once more.
 */
function isIgnored(t: OrderTerms, { at }: State, event: Event, { wall }: Clocks): boolean {
  const { is } = event;
  // What another life of this node may have paid for is not cancelled.
  if (is === 'evm.balance' || is === 'cancel.requested') return true;
  if (at !== 'waiting') return false;
  // That an operator knows of nothing is a word as well.
  const isNothing = is === 'clock' || (is === 'vhtlc.seen' && event.coins.length === 0);
  return is === 'provider.seen' || (isNothing && isEarly(t, wall));
}

function isEarly({ restored }: OrderTerms, wall: Unix): boolean {
  return restored !== undefined && wall < after(restored, looking) && wall >= restored;
}

/** Whether our secret may leave us for what the provider offers. */
function shown(pair: Pair, p: Agreed | ClaimingState, outcome: SwapOutcome<State>): SwapOutcome<State> {
  if (outcome === 'stay' || outcome.progress.at !== 'claiming' || p.at === 'claiming') return outcome;
  // Without an act of ours the secret is out already, and the claim is only looked for.
  if (outcome.effects.length === 0 || pair.fund.isTaken(p)) return outcome;
  return p.shared === true ? 'stay' : forLess(pair, p, outcome);
}

/**
 * What was agreed is lost with the database, and how much of it the provider says is compared with what we really paid:
 * it could otherwise lock a hundredth of it, and have our secret for that. Over Lightning nothing shows what was paid.
 */
function forLess({ fund }: Pair, p: Agreed, outcome: SwapOutcome<State>): SwapOutcome<State> {
  const paid = fund.mostPaid?.(p);
  const agreed = p.deal.source.amount;
  if (paid === undefined || (paid > 0n && paid * 100n <= agreed * (100n + mostOverpaid))) return outcome;
  return paid === 0n ? 'stay' : { progress: p, effects: [], flag: overpaid };
}
