import type { Hash160, Sha256 } from '../../domain/hash.ts';
import type { Clocks } from '../../domain/time.ts';
import { hash160OfEither } from '../../legs/secret.ts';
import { shapeOf } from '../../legs/shape.ts';
import type { ClaimStates } from '../halves/claim.ts';
import type { FundStates } from '../halves/fund.ts';
import type { Event, Machine, SwapOutcome } from '../machine.ts';
import { whenAmended } from './amended.ts';
import { whenOursEnds, whenRevealed } from './claiming.ts';
import {
  isAtStake,
  isGivenBack,
  isRevealed,
  isStanding,
  type Pair,
  type Provider,
  type ProviderProgress,
  type State,
} from './direction.ts';
import { actionOf, deadlineOf, isOpen, isReserved, rescueOf, statusOf, watchesOf } from './facts.ts';
import { whenStanding, whenWaiting } from './funding.ts';
import { whenGivenBack, whenReturned } from './given-back.ts';
import { claimOfItsLeg, fundOfItsLeg } from './own-leg.ts';
import { resumed } from './resume.ts';
import { schemaOf } from './schema.ts';

/** The states of a direction, as its two halves have them. */
export type ProgressOf<M extends { status(p: never): unknown }> = Parameters<M['status']>[0];

/*
 * The provider's state machine of every direction: the client's lock is accepted, so we lock or pay; ours is claimed,
 * so its preimage claims the client's; ours is refunded, or was never made, so the client has its own again. The
 * particulars of a network are in its half.
 *
 * Loses money when wrong: something given for a lock that is not sure; a secret learned, and the lock not claimed; a
 * refund of the client's signed while ours may be with it.
 */
export function providerOf<T, C extends ClaimStates, F extends FundStates>(
  of: Provider<T, C, F>,
): Machine<T, ProviderProgress<C, F>> {
  const whole = of as unknown as Provider<unknown, ClaimStates, FundStates>;
  const pair: Pair = { ...whole, claim: claimOfItsLeg(whole.claim), fund: fundOfItsLeg(whole.fund) };
  const hashOf = (t: unknown) => (t as { readonly hash: Sha256 | Hash160 }).hash;
  const machine: Machine<unknown, State> = {
    name: of.name,
    shape: { terms: pair.terms, progress: shapeOf(schemaOf(pair)) },
    notes: of.notes,
    signsRefund: (t) => pair.signsRefund?.(t) ?? true,
    step: (t, p, event, now) => step(pair, t, p, event, now),
    watches: (t, p) => watchesOf(pair, t, p),
    deadline: (t, p) => deadlineOf(pair, t, p),
    status: (p) => statusOf(pair, p),
    open: (_, p) => isOpen(pair, p),
    reserves: (p) => isReserved(pair, p),
    isAtStake,
    untold: ({ at }) => at === 'unopened',
    hash160: (t) => hash160OfEither(hashOf(t)),
    unfunded: { ends: 'unopened' in pair.claim.fields.waiting ? ['lapsed', 'unopened'] : ['lapsed'], ...pair.unfunded },
    rescue: (t, p) => rescueOf(pair, t, p),
    resume: (t, p) => resumed(pair, t, p),
    nextAction: (t, p) => actionOf(pair, t, p),
  };
  return machine as unknown as Machine<T, ProviderProgress<C, F>>;
}

const notNamed = 'no invoice is named for it here';

function step(pair: Pair, t: unknown, p: State, event: Event, now: Clocks): SwapOutcome<State> {
  if (event.is === 'terms.amended') return whenAmended(pair, t, p, now);
  // Of our own part, whatever becomes of the client's.
  if (isRevealed(p) && (event.is === 'cosign.asked' || event.is === 'cosign.given') && event.purpose === 'claim')
    return whenOursEnds(pair, t, p, event, now);
  if (isStanding(pair, p)) return whenStanding(pair, t, p, event, now);
  if (isRevealed(p)) return whenRevealed(pair, t, p, event, now);
  if (isGivenBack(p)) return whenGivenBack(pair, t, p, event, now);
  switch (p.at) {
    case 'returned':
      return whenReturned(pair, t, p, event, now);
    case 'lapsed':
      return pair.claim.lapsed(t, p as ClaimStates['lapsed'], event);
    case 'unnamed':
      // The payment of an invoice that an older copy of the database forgot: what lies there is claimed with it.
      return event.is === 'payment.seen'
        ? whenGivenBack(pair, t, { ...p, at: 'stopped', why: 'wont', reason: notNamed }, event, now)
        : whenWaiting(pair, t, p, event, now);
    default:
      return whenWaiting(pair, t, p, event, now);
  }
}
