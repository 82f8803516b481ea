import { sameOutpoint, type Outpoint } from '../../../../domain/outpoint.ts';
import { ownCoins, type ExtraCoin } from '../../extra-coins.ts';
import { move, type Event, type Outcome, type Step } from '../../../machine.ts';
import { cosignFor, isJoint } from '../cosign.ts';
import {
  stopped,
  type Coin,
  type Lapsed,
  type OnchainSourceTerms as T,
  type Pending,
  type Refunded,
  type Seen,
  type Stopped,
  type Unnamed,
} from './terms.ts';

/*
 * The client asks for our partial signature, to take its own coin back. Given, it closes everything that this coin
 * could be for: nothing is locked or paid for it any more, and it is never claimed.
 *
 * Loses money when wrong: a refund signed while something of ours is out for the coin, or may be.
 */

const takesBack = 'the client takes its coin back, with our signature';

function fenced(extras: readonly ExtraCoin[], why: Stopped['why'] = 'wont'): Step<Stopped> {
  return move<Stopped>({ ...stopped(why, takesBack, extras), fenced: true });
}

/**
 * The coin that we signed for is asked after by its name, first of all: taken before a look at the script it is listed
 * nowhere, and the swap would never hear of its end. Until it is seen its amount is the one that was agreed.
 */
function naming({ sourceAmount: amount }: T, coin: Outpoint, extras: readonly ExtraCoin[]): readonly ExtraCoin[] {
  const isNamed = extras.some(({ outpoint }) => sameOutpoint(outpoint, coin));
  return isNamed ? extras : [{ outpoint: coin, amount, spent: false }, ...extras];
}

/** Nothing is given for the coin yet. Null: the event is about something else. */
export function whenWaitingCosigned<W extends Pending | Seen | Unnamed>(
  t: T,
  p: W,
  event: Event,
): Outcome<W | Stopped> | null {
  const refund = cosignFor('refund', event);
  if (refund === null) return null;
  if (!isJoint(t.htlc)) return 'stay';
  if (refund.is === 'cosign.asked') return move<W>(p);
  return fenced(naming(t, refund.coin, p.at === 'seen' ? ownCoins(t, p) : p.extras));
}

/** Nothing is given for it any more. */
export function whenStoppedCosigned<S extends Stopped>(t: T, p: S, event: Event): Outcome<S> | null {
  const refund = cosignFor('refund', event);
  if (refund === null) return null;
  if (!isJoint(t.htlc)) return 'stay';
  if (refund.is === 'cosign.asked') return move<S>(p);
  // Whoever asks is about to take it, however late: it is watched until that is seen.
  const { unwatched: _, ...watched } = p;
  return move<S>({ ...watched, extras: naming(t, refund.coin, p.extras), fenced: true } as unknown as S);
}

export function whenLapsedCosigned(t: T, p: Lapsed, event: Event): Outcome<Lapsed | Stopped> {
  const refund = cosignFor('refund', event);
  if (refund === null || !isJoint(t.htlc)) return 'stay';
  return refund.is === 'cosign.asked' ? move<Lapsed>(p) : fenced(naming(t, refund.coin, []), 'late');
}

/** Done with its own coin, or refunded: others at the address are their owner's, and ours is never signed away. */
export function whenOverCosigned<S extends Refunded | Partial<Coin>>(t: T, p: S, event: Event): Outcome<S> | null {
  const refund = cosignFor('refund', event);
  if (refund === null) return null;
  const own = 'coin' in p ? p.coin : undefined;
  if (!isJoint(t.htlc) || refund.is === 'cosign.given') return 'stay';
  return own !== undefined && sameOutpoint(own, refund.coin) ? 'stay' : move<S>(p);
}
