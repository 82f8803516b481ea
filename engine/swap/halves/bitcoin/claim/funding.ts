import { furthest, type Clocks, type Unix } from '../../../../domain/time.ts';
import { confirmationsAt } from '../../../../legs/onchain/depth.ts';
import type { SeenHtlcCoin } from '../../../../legs/onchain/events.ts';
import { mineBefore } from '../../../../legs/onchain/timelocks.ts';
import { move, type Outcome, type EventOf } from '../../../machine.ts';
import { isAmendable, unnamedEnd, withCoins } from '../../coins-at-address.ts';
import { attemptsOf, hasAttempt, sameExtras, unspentOf } from '../../extra-coins.ts';
import { judgeFunding, ownCoin, coinsBeside, coinsToAmendFor } from './coins.ts';
import {
  stopped,
  type Coin,
  type Funded,
  type OnchainSourceTerms as T,
  type Pending,
  type Seen,
  type Stopped,
  type Unnamed,
} from './terms.ts';

type Funding = Pending | Seen;

/** What a look at an address that waits for its coin comes to. */
type Look =
  | { readonly is: 'nothing' }
  | { readonly is: 'moved'; readonly progress: Funding | Stopped }
  /** The right coin is deep enough: whether to give something for it now is the direction's to say. */
  | { readonly is: 'deep'; readonly funded: Funded };

/** What is said of a coin that came, or was mined, too late. */
const tooLate = 'the coin was not mined in time to give anything for it';

/**
 * Waiting for the client's coin: the first that is right is the swap's once it is deep enough. Its first confirmation
 * decides whether it came in time: what is in a block is waited for until nothing more can be given.
 */
export function whenLooked(t: T, p: Funding, event: EventOf<'htlc.seen'>, now: Clocks): Look {
  const { coins } = event;
  const sight = judgeFunding(t, coins, p.at === 'seen' ? p.coin : null);
  const all = coinsBeside(coins, null);
  const late = isPast(mineBefore(t.giveBefore, t.confirmations), now);
  if (sight.is === 'wrong') return { is: 'moved', progress: stopped('invalid', sight.reason, coinsToAmendFor(coins)) };
  if (sight.is === 'none') {
    const vanished = p.vanished || p.at === 'seen';
    // Only a look says that nothing came, no clock: published clients never look again at a swap that is called
    // expired.
    if (event.asked >= t.fundBefore && (late || !vanished))
      return {
        is: 'moved',
        progress: hasAttempt(unspentOf(all), t)
          ? stopped('invalid', 'what was sent is not what was agreed', coinsToAmendFor(coins))
          : stopped('expired', 'nothing was sent in time', all),
      };
    if (p.at === 'pending' && sameExtras(all, p.extras)) return { is: 'nothing' };
    return { is: 'moved', progress: { at: 'pending', extras: all, vanished } };
  }
  const { own, height } = sight;
  const mined = height !== null;
  if (mined ? isPast(t.giveBefore, now) : late) return { is: 'moved', progress: stopped('late', tooLate, all) };
  const extras = coinsBeside(coins, own.coin);
  if (mined && confirmationsAt(height, event.height) >= t.confirmations)
    return { is: 'deep', funded: { ...own, extras } };
  const isSame =
    p.at === 'seen' && sameExtras(extras, p.extras) && ownCoin(p, coins) !== null && (p.inBlock === true) === mined;
  if (isSame) return { is: 'nothing' };
  const inBlock = mined ? ({ inBlock: true } as const) : {};
  return { is: 'moved', progress: { at: 'seen', ...own, extras, vanished: p.vanished, ...inBlock } };
}

/** Nothing is given for a coin before its client says for what: in the funding window, or the coin is its own again. */
export function unnamedLooked(t: T, p: Unnamed, event: EventOf<'htlc.seen'>): Outcome<Unnamed | Stopped> {
  if (event.asked >= t.fundBefore) {
    const all = coinsBeside(event.coins, null);
    return move<Stopped>(stopped(...unnamedEnd(t, all, 'nothing was sent in time'), all));
  }
  return withCoins<Unnamed>(p, attemptsOf(coinsToAmendFor(event.coins), t));
}

export function whenAmended(t: T, p: Pending | Seen | Unnamed | Stopped, now: Clocks): Pending | null {
  return isAmendable(p, t, now)
    ? { at: 'pending', extras: p.extras, vanished: false, ...(p.byKey === undefined ? {} : { byKey: p.byKey }) }
    : null;
}

/** By the chain's clock, so that a machine that slept through the funding window gives for what came in it. */
function isPast(moment: Unix, { bitcoin }: Clocks): boolean {
  const { mtp } = furthest(bitcoin);
  return mtp !== null && mtp > moment;
}

/**
 * What becomes of the coin that something is given for: where a reorganisation left another right one in its place,
 * that is the swap's, once it is as deep as the first had to be.
 */
export function whenFunded<S extends Funded>(t: T, p: S, event: EventOf<'htlc.seen'>): Outcome<S> {
  const other = isInBlock(ownCoin(p, event.coins)) ? null : deepCoin(t, event, t.confirmations);
  if (other === null) return whenKept(p, event);
  const { gone: _, ...rest } = p;
  return move<S>({ ...rest, ...other, extras: coinsBeside(event.coins, other.coin) } as unknown as S);
}

/** It stays the swap's whatever becomes of it: a person is told once of one that is gone (facts/faults.md 13). */
export function whenKept<S extends Funded>(p: S, { coins }: EventOf<'htlc.seen'>): Outcome<S> {
  const own = ownCoin(p, coins);
  const { gone: _, ...rest } = p;
  const extras = coinsBeside(coins, p.coin);
  const flag = own === null ? reorganised : tookBack(own) ? takenBack : null;
  if (flag === null)
    return p.gone === undefined && sameExtras(extras, p.extras) ? 'stay' : move<S>({ ...rest, extras } as unknown as S);
  return p.gone === true ? 'stay' : { progress: { ...p, extras, gone: true }, effects: [], flag };
}

const reorganised =
  'The client’s coin is not on the Bitcoin chain any more although it was mined: a reorganisation took it, and it ' +
  'may come again.';
const takenBack = 'The client took its bitcoin back after its locktime, while what was given for it is not ours again.';

/** By the client, in a block. */
function tookBack({ spend }: SeenHtlcCoin): boolean {
  return spend?.by === 'refund' && spend.height !== null;
}

export function isInBlock(coin: SeenHtlcCoin | null): boolean {
  return coin !== null && coin.height !== null;
}

/**
 * A right coin that can stand for one that something was given for: what waits in a mempool, or is only told of, costs
 * its maker nothing and never pays for anything (facts/faults.md 244).
 */
export function deepCoin(t: T, { coins, height: tip }: EventOf<'htlc.seen'>, depth: number): Coin | null {
  const deep = coins.filter(({ height }) => height !== null && confirmationsAt(height, tip) >= depth);
  const sight = judgeFunding(t, deep, null);
  return sight.is === 'right' ? sight.own : null;
}
