import type { SwapStatus } from '../domain/status.ts';
import { everyQueue } from '../legs/leg.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import type { Machine, Outcome, SwapOutcome } from '../swap/machine.ts';
import { turnText, type TurnView } from './facts.ts';
import type { OrderTerms, TakerProgress } from './terms.ts';

/**
 * What a machine of the client's has of its own: nothing is promised to anybody by it, and nobody is told of it but the
 * owner.
 */
type Own<T, P extends { readonly at: string }> = Pick<
  Machine<T, P>,
  'name' | 'shape' | 'watches' | 'deadline' | 'status' | 'open' | 'rescue'
> & {
  /** What it drops is what both legs asked for, and the order before them. */
  step(...given: Parameters<Machine<T, P>['step']>): Outcome<P>;
};

export function clientMachine<T extends OrderTerms, P extends TakerProgress>(
  own: Own<T, P>,
  steps: (progress: P, terms: T) => TurnView,
): Machine<T, P> {
  return {
    ...own,
    step: (...given) => named(own.step(...given)),
    reserves: () => false,
    untold: () => false,
    hash160: (t) => hash160OfSha256(t.hash),
    nextAction: (t, p) => turnText(steps(p, t).turn),
  };
}

function named<P>(outcome: Outcome<P>): SwapOutcome<P> {
  if (outcome === 'stay') return outcome;
  const { supersedes, interrupts, ...step } = outcome;
  return {
    ...step,
    ...(supersedes === undefined ? {} : { supersedes: everyQueue }),
    ...(interrupts === undefined ? {} : { interrupts: everyQueue }),
  };
}

/** What a provider may say while what we paid lies there; anything else is not repeated to people. */
export const whilePaid: ReadonlySet<SwapStatus> = new Set([
  'clientfundingseen',
  'clientfunded',
  'serverfunded',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
]);

/** The same where the provider locks something of its own, which it may take back. */
export const whileLocked: ReadonlySet<SwapStatus> = new Set([...whilePaid, 'clientfundedserverrefunded']);

/** The provider's word where it may be repeated to people; for any other, what we see ourselves. */
export function repeated(
  word: SwapStatus,
  believable: ReadonlySet<SwapStatus>,
  otherwise: SwapStatus = 'clientfunded',
): SwapStatus {
  return believable.has(word) ? word : otherwise;
}
