import { after, isAhead, minute, type Clocks } from '../../../../domain/time.ts';
import { whileTakingCoin } from '../../../../swap/halves/bitcoin/taking.ts';
import { takes } from '../../../../swap/halves/takes.ts';
import { move, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import { providerIsOut } from '../../../words.ts';
import { withWord, type Beside } from '../../fund.ts';
import { whenClaimed } from './cosign.ts';
import { askEffect } from './effects.ts';
import { isTaken, isTogether, lockOpen, paidCoins, refundable, rest, sameCoins } from './coins.ts';
import { nextRefund, refundOf } from './refunding.ts';
import { baseOf, type Base, type BitcoinFunding, type BitcoinFundTerms, type PaidCoin, type Stage } from './terms.ts';

/*
 * A coin for which the provider gives nothing comes back by the key of both: at once, and not only after its locktime.
 * The provider may be gone, and nobody waits for it past that.
 */

type T = BitcoinFundTerms;
type P = BitcoinFunding;

/** How long a provider that declined is left alone. */
const pause = minute;

/** The coin that the provider can give back with us now; null where there is none, or it needs nobody. */
export function askable(p: Base, now: Clocks): PaidCoin | null {
  return isTogether(p) && !isTaken(p) && !lockOpen(p, now) ? refundable(p, null) : null;
}

type Word = Event & { is: 'provider.seen' };

/** The provider says that it claims, or gives nothing; or the owner does not want it any more. */
export function whenSaid(t: T, p: P, { status, paidIn }: Word, now: Clocks, beside: Beside): Outcome<P> {
  // The first alone: one that names another at each look would have each looked for (facts/faults.md 301).
  if (p.at === 'waiting' && paidIn !== undefined && p.paidIn === undefined)
    return move<P>({ ...p, said: status, paidIn });
  if (p.at !== 'funded') return withWord(p, status);
  const claim = whenClaimed(t, p, status, now, beside);
  if (claim !== null) return claim;
  const isWanted = !providerIsOut.has(status) && !(p.cancelled === true && p.declined === undefined);
  const rests = p.declined !== undefined && isAhead(p.declined.notBefore, pause, now.wall);
  const coin = isWanted || rests ? null : askable(p, now);
  return coin === null ? withWord(p, status) : ask(t, { ...p, said: status }, coin, now);
}

/** The owner wants it back. */
export function whenAskedFor(t: T, p: P, now: Clocks): Step<P> | null {
  const coin = p.at === 'funded' ? askable(p, now) : null;
  return coin === null ? null : ask(t, p, coin, now);
}

function ask(t: T, p: Base, { outpoint: coin }: PaidCoin, now: Clocks): Step<P> {
  return move<P>({ at: 'asking', coin, ...baseOf(p) }, askEffect(t, p, coin, now));
}

export function whenAsking(t: T, p: Stage<'asking'>, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'onchain.prepared':
      if (event.joint !== true) return 'stay';
      return (
        whileTakingCoin(
          refundOf(t, now, null),
          { at: 'refunding', coin: p.coin, joint: true, spends: [], ...baseOf(p) },
          event,
        ) ?? 'stay'
      );
    case 'provider.declined':
    case 'provider.claim-withheld':
      return move<P>(declined(rest(p, null), event.reason, now));
    case 'onchain.refused':
      return event.why === 'spent' && takes(event, p.coin)
        ? move<P>(declined(rest(p, null), event.reason, now))
        : 'stay';
    case 'htlc.seen':
      return whenSeen(p, { ...p, coins: paidCoins(p, event) });
    case 'clock': {
      const alone = nextRefund(t, p, now, null);
      // What was asked of the provider is not needed any more.
      return alone === null ? 'stay' : { ...alone, supersedes: true };
    }
    default:
      return 'stay';
  }
}

function declined(p: P, reason: string, { wall }: Clocks): P {
  return p.at === 'funded' ? { ...p, declined: { reason, notBefore: after(wall, pause) } } : p;
}

/** Another end of the coin than ours, or one that the chain shows no more: nothing is asked for it any longer. */
function whenSeen(p: Stage<'asking'>, next: Stage<'asking'>): Outcome<P> {
  if (refundable(next, null) === null || isTaken(next)) return { ...move<P>(rest(next, null)), supersedes: true };
  return sameCoins(next.coins, p.coins) ? 'stay' : move<P>(next);
}
