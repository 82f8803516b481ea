import type { Clocks } from '../../../../domain/time.ts';
import { accept } from '../../../../legs/arkade/acceptance.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import { move, type EventOf } from '../../../machine.ts';
import { cameLate, isAmendable, unnamedEnd, withCoins } from '../../coins-at-address.ts';
import { attemptsOf, coinsBeside, hasAttempt } from '../../extra-coins.ts';
import { stopped, type Funded, type Pending, type SourceTerms as T, type Stopped, type Unnamed } from './terms.ts';

/** What a look at an address that waits for its coin comes to. */
type Funding =
  | { readonly is: 'nothing' }
  | { readonly is: 'stopped'; readonly progress: Stopped }
  | { readonly is: 'coin'; readonly coin: SeenCoin; readonly funded: Funded };

/**
 * Waiting for the client's coin: the first that is right is the swap's, if nothing speaks against giving anything for
 * it now.
 */
export function fundingSeen(t: T, p: Pending, event: EventOf<'vhtlc.seen'>, now: Clocks): Funding {
  const stop = (...why: Parameters<typeof stopped>): Funding => ({ is: 'stopped', progress: stopped(...why) });
  const extras = coinsBeside(event.coins, null, []);
  if (p.fenced && hasAttempt(extras, t))
    return stop('late', 'the coin came after we had signed a refund', true, extras);
  // Only a look says that nothing came, no clock: published clients never look again at a swap that is called expired.
  if (!hasAttempt(extras, t))
    return (event.asked ?? now.wall) >= t.fundBefore
      ? stop('expired', 'nothing was funded in time', p.fenced, extras)
      : { is: 'nothing' };
  if (now.wall >= t.fundBefore) return stop('late', cameLate, false, extras);
  const verdict = accept({
    amount: t.sourceAmount,
    toleranceBps: t.toleranceBps,
    minExpiry: t.minCoinExpiry,
    coins: event.coins,
    now,
  });
  switch (verdict.is) {
    case 'none':
      return { is: 'nothing' };
    case 'invalid':
      return stop('invalid', verdict.reason, false, extras);
    case 'accepted':
      return {
        is: 'coin',
        coin: verdict.coin,
        funded: {
          coin: verdict.coin.outpoint,
          surplus: verdict.surplus,
          extras: coinsBeside(event.coins, verdict.coin.outpoint, []),
        },
      };
  }
}

/** Nothing is given for a coin before its client says for what: in the funding window, or the coin is its own again. */
export function unnamedSeen(p: Unnamed, event: EventOf<'vhtlc.seen'>, t: T, now: Clocks) {
  const all = coinsBeside(event.coins, null, p.extras);
  if ((event.asked ?? now.wall) >= t.fundBefore)
    return move<Stopped>(stopped(...unnamedEnd(t, all, 'nothing was funded in time'), p.fenced, all));
  return withCoins<Unnamed>(p, attemptsOf(all, t));
}

export function whenAmended(t: T, p: Pending | Unnamed | Stopped, now: Clocks): Pending | null {
  return isAmendable(p, t, now) ? { at: 'pending', fenced: false } : null;
}
