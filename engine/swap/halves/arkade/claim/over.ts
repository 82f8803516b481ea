import { sameOutpoint } from '../../../../domain/outpoint.ts';
import { after, day, hour, laterOf, type Clocks, type Unix } from '../../../../domain/time.ts';
import { locktimePassed } from '../../../../legs/timelocks.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { move, type Event, type Outcome } from '../../../machine.ts';
import { cameLate, withCoins, withCoinsLeft } from '../../coins-at-address.ts';
import { coinsBeside, hasAttempt, hasUnspent, leftAlone } from '../../extra-coins.ts';
import {
  stopped,
  withExtras,
  type Funded,
  type Lapsed,
  type Refunded,
  type SourceTerms as T,
  type Stopped,
  type Unwatched,
} from './terms.ts';

type Ends<S> = Outcome<S | Stopped | Refunded | Lapsed>;

/** Nothing is given for the coins at the address: they are watched, and their refund is signed. */
export function whenStopped<S extends Stopped>(t: T, p: S, event: Event, now: Clocks): Ends<S> {
  switch (event.is) {
    case 'refund.cosign.requested':
      return move<S>(p.fenced ? askedFor(p, now) : { ...askedFor(p, now), fenced: true });
    case 'vhtlc.seen':
      return stoppedCoins(t, p, event.coins);
    case 'clock':
      if (p.extras.length > 0) return leftAlone(p, leftAloneAt(t, p), now);
      return locktimePassed(t.vhtlc.refundLocktime, now.bitcoin)
        ? move<Lapsed>({ at: 'lapsed', fenced: p.fenced })
        : 'stay';
    default:
      return 'stay';
  }
}

function stoppedCoins<S extends Stopped>(t: T, p: S, coins: readonly SeenCoin[]): Ends<S> {
  if (coins.length === 0) return 'stay';
  const extras = coinsBeside(coins, null, p.extras);
  if (!hasUnspent(extras))
    return move<Refunded>({
      at: 'refunded',
      refundTxid: coins[0]?.spentIn ?? coins[0]?.settledBy ?? null,
      extras,
    });
  return withCoinsLeft(t, p, extras, (reason): Stopped => stopped('late', reason, p.fenced, extras));
}

/** Long over: a coin that comes all the same is seen, and its refund signed. */
export function whenLapsed(t: T, p: Lapsed, event: Event): Outcome<Lapsed | Stopped> {
  if (event.is === 'refund.cosign.requested') return move<Lapsed>(p.fenced ? p : { at: 'lapsed', fenced: true });
  if (event.is !== 'vhtlc.seen' || event.coins.length === 0) return 'stay';
  const extras = coinsBeside(event.coins, null, []);
  return move<Stopped>(
    hasAttempt(extras, t)
      ? stopped('late', cameLate, p.fenced, extras)
      : stopped('expired', 'nothing was funded in time', p.fenced, extras),
  );
}

/** The client has its coins back; further ones at the same address are listed. */
export function whenRefunded<S extends Refunded>(t: T, p: S, event: Event, now: Clocks): Outcome<S> {
  if (event.is === 'clock') return leftAlone(p, leftAloneAt(t, p), now);
  if (event.is !== 'vhtlc.seen') return event.is === 'refund.cosign.requested' ? move<S>(askedFor(p, now)) : 'stay';
  return withCoins(p, coinsBeside(event.coins, null, p.extras));
}

/** Done with its coin; further ones at the same address are listed, and we sign their refund. */
export function whenOver<S extends Funded & Unwatched>(t: T, p: S, event: Event, now: Clocks): Outcome<S> {
  if (event.is === 'clock') return leftAlone(p, leftAloneAt(t, p), now);
  if (event.is === 'refund.cosign.requested') {
    const touchesOurs = event.coins.some((coin) => sameOutpoint(coin, p.coin));
    return touchesOurs || event.coins.length === 0 ? 'stay' : move<S>(askedFor(p, now));
  }
  const next = withExtras(p, event);
  return next === p ? 'stay' : move<S>(next);
}

/** When the watch over coins that nobody takes ends. */
export function leftAloneAt(t: T, { askedUntil = 0 as Unix }: Unwatched): Unix {
  const alone = after(t.vhtlc.refundLocktime, day);
  return alone > askedUntil ? alone : askedUntil;
}

/** How long a client may take over a refund that it asked for. */
const refundPatience = hour;

/**
 * Whoever asks for a refund is about to take its coins, however late: they are watched until that is seen. Who asks
 * again and again changes nothing.
 */
function askedFor<S extends Unwatched>(p: S, clocks: Clocks): S {
  const { unwatched, ...watched } = p;
  const now = laterOf(clocks);
  if (unwatched === undefined && (p.askedUntil ?? 0) > now + refundPatience / 2) return p;
  return { ...watched, askedUntil: after(now, refundPatience) } as unknown as S;
}
