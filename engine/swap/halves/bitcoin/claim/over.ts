import type { Clocks, Locktime } from '../../../../domain/time.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { dayAfter, locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { locktimePassed } from '../../../../legs/timelocks.ts';
import { move, type Event, type Outcome } from '../../../machine.ts';
import { withCoins, withCoinsLeft } from '../../coins-at-address.ts';
import { hasUnspent, leftAlone, type CoinsLeft } from '../../extra-coins.ts';
import { withForeign } from '../foreign.ts';
import { coinsBeside, coinsToAmendFor } from './coins.ts';
import { stopped, type Coin, type Lapsed, type OnchainSourceTerms as T, type Refunded, type Stopped } from './terms.ts';

type Ends<S> = Outcome<S | Stopped | Refunded | Lapsed>;

/** Nothing is given for the coins at the address: they are watched until their owner has them back. */
export function whenStopped<S extends Stopped>(t: T, p: S, event: Event, now: Clocks): Ends<S> {
  if (event.is === 'htlc.seen') return withForeign(p, event, stoppedCoins(t, p, event.coins));
  if (event.is !== 'clock') return 'stay';
  if (p.extras.length > 0) return leftAlone(p, leftAloneAt(t), now);
  if (p.unwatched === true || !locktimePassed(locktimeOf(t.htlc), now.bitcoin)) return 'stay';
  // What was seen went away, from the mempool or with its block, and did not come again.
  return p.why === 'expired' ? move<Lapsed>({ at: 'lapsed' }) : move<S>({ ...p, unwatched: true });
}

function stoppedCoins<S extends Stopped>(t: T, p: S, coins: readonly SeenHtlcCoin[]): Outcome<S | Stopped | Refunded> {
  const extras = p.why === 'invalid' ? coinsToAmendFor(coins) : coinsBeside(coins, null);
  if (extras.length > 0 && !hasUnspent(extras))
    return move<Refunded>({ at: 'refunded', clientTxid: coins[0]?.spend?.txid ?? null, extras });
  return withCoinsLeft(t, p, extras, (reason): Stopped => stopped('late', reason, extras));
}

/** Done with its own coin, or refunded; others at the same address are listed. */
export function whenOver<S extends CoinsLeft & Partial<Coin>>(t: T, p: S, event: Event, now: Clocks): Outcome<S> {
  if (event.is === 'clock') return leftAlone(p, leftAloneAt(t), now);
  if (event.is !== 'htlc.seen') return 'stay';
  return withCoins(p, coinsBeside(event.coins, p.coin ?? null));
}

export function leftAloneAt({ htlc }: T): Locktime {
  return dayAfter(locktimeOf(htlc));
}
