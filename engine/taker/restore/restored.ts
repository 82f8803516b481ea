import type { Machine } from '../../swap/machine.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { after, minute, seconds, unix } from '../../domain/time.ts';
import type { Event, SwapOutcome } from '../../swap/machine.ts';
import type { Facts, TurnView } from '../facts.ts';
import type { OrderTerms, TakerProgress } from '../terms.ts';

/** No clock ends a swap that was found again before the networks had this long to show what became of it. */
const lookFirst = seconds(10 * minute);
/** What is paid too much, in hundredths, before what a provider says was agreed is not believed any more. */
const mostOverpaid = 2n;

/** What was paid by us, by whatever name a direction has for it. */
interface Payments {
  readonly coins?: readonly { readonly amount: bigint; readonly spend?: { readonly by: string } | null }[];
  readonly made?: { readonly amount: bigint } | null;
  /** What shows that the provider has our secret. */
  readonly proof?: object | null;
  readonly takenBy?: string | null;
}

/** The provider took what we paid with our secret: from then on nothing is kept back by not claiming. */
function isOut({ coins = [], proof = null, takenBy = null }: Payments): boolean {
  return proof !== null || takenBy !== null || coins.some(({ spend }) => spend?.by === 'claim');
}

function paid({ coins, made }: Payments): bigint | null {
  if (coins === undefined && made === undefined) return null;
  const amounts = [...(coins ?? []), ...(made === undefined || made === null ? [] : [made])].map(
    ({ amount }) => amount,
  );
  return amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
}

const overpaid =
  'More was paid for this swap than its provider says now was agreed: its side is not claimed, and what was paid ' +
  'is taken back.';

/**
 * What was agreed is lost with the database, and how much of it the provider says is compared with what we really paid:
 * it could otherwise lock a hundredth of it, and have our secret for that. Over Lightning nothing shows what was paid.
 */
function forLess<P extends TakerProgress>(p: P, outcome: SwapOutcome<P>): SwapOutcome<P> {
  if (outcome === 'stay' || outcome.progress.at !== 'claiming' || p.at === 'claiming') return outcome;
  // Without an act of ours the secret is out already, and the claim is only looked for.
  if (outcome.effects.length === 0 || isOut(p as Payments)) return outcome;
  const amount = paid(p as Payments);
  const agreed = p.deal?.source.amount ?? 0n;
  if (amount === null || (amount > 0n && amount * 100n <= agreed * (100n + mostOverpaid))) return outcome;
  return amount === 0n ? 'stay' : { progress: p, effects: [], flag: overpaid };
}

function isEarly({ restored }: OrderTerms, { wall }: Clocks): boolean {
  return restored !== undefined && wall < after(restored, lookFirst) && wall >= restored;
}

/**
 * The provider's word ends nothing before the networks were looked at, and nothing is paid or signed for it once more.
 */
function ignores(terms: OrderTerms, p: TakerProgress, event: Event, now: Clocks): boolean {
  // What another life of this node may have paid for is not cancelled.
  if (event.is === 'evm.balance' || event.is === 'cancel.requested') return true;
  if (p.at !== 'waiting') return false;
  return event.is === 'provider.seen' || (event.is === 'clock' && isEarly(terms, now));
}

/** The machine of a direction, as it also runs what was found again with its database gone. */
export function alsoRestored<T extends OrderTerms, P extends TakerProgress>(machine: Machine<T, P>): Machine<T, P> {
  return {
    ...machine,
    step(terms, p, event, now) {
      if (terms.restored === undefined) return machine.step(terms, p, event, now);
      return ignores(terms, p, event, now) ? 'stay' : forLess(p, machine.step(terms, p, event, now));
    },
    deadline(terms, p): Unix | null {
      const at = machine.deadline(terms, p);
      if (terms.restored === undefined || p.at !== 'waiting' || at === null) return at;
      return unix(Math.max(at, after(terms.restored, lookFirst)));
    },
  };
}

/** Nobody is asked to pay what they may have paid already, nor what only the provider says they wanted. */
export function factsOfRestored(facts: Facts, { restored }: OrderTerms): Facts {
  return restored === undefined ? facts : { ...facts, pay: null };
}

export function stepsOfRestored(standing: TurnView, { restored }: OrderTerms): TurnView {
  return restored === undefined || standing.phase !== 'pay'
    ? standing
    : { ...standing, phase: 'wait', turn: { who: 'node', step: 'look', until: standing.turn.until } };
}
