import { btc, msat, noSats } from '../../domain/money.ts';
import { sameOutpoint } from '../../domain/outpoint.ts';
import { after, day, hour, laterOf, type Clocks, type Unix } from '../../domain/time.ts';
import type { PaymentState } from '../../legs/lightning/port.ts';
import { blocksAfterTimeout, locktimePassed } from '../../legs/timelocks.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { hasUnspent, sameStrays, straysBeside, type Stray } from '../source.ts';
import { claimEffect } from './claiming.ts';
import {
  lateOf,
  stop,
  withStrays,
  type ArkadeLightningProgress,
  type ArkadeLightningTerms,
  type Funded,
} from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

/** The swap will not be paid: its coins are watched, and their refund is signed. */
export function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'refund.cosign.requested':
      // What is in flight may settle: nobody gets a refund signed that did not have it before.
      if (p.late === 'in-flight' && !p.fenced) return 'stay';
      return move<P>(p.fenced ? askedFor(p, now) : { ...askedFor(p, now), fenced: true });
    case 'payment.seen':
      return latePayment(t, p, event.state, now);
    case 'vhtlc.seen':
      return stoppedCoins(p, event.coins);
    case 'clock':
      if (p.strays.length > 0) return leftAlone(t, p, now);
      return locktimePassed(t.vhtlc.refundLocktime, now.bitcoin) ? move<P>({ at: 'lapsed', fenced: p.fenced }) : 'stay';
    default:
      return 'stay';
  }
}

/**
 * A coin that its owner never takes would be watched for ever, and dust costs a stranger next to nothing: a day after
 * the client can help itself the watch ends. Our signature on its refund is still to be had.
 */
export function leftAlone(t: T, p: P & { at: 'stopped' | 'claimed' | 'lost' | 'refunded' }, now: Clocks): Outcome<P> {
  return hasUnspent(p.strays) && p.unwatched !== true && locktimePassed(leftAloneAt(t, p), now.bitcoin)
    ? move<P>({ ...p, unwatched: true })
    : 'stay';
}

/** When the watch over coins that nobody takes ends. */
export function leftAloneAt(t: T, { askedUntil = 0 as Unix }: { readonly askedUntil?: Unix }): Unix {
  const alone = after(t.vhtlc.refundLocktime, day);
  return alone > askedUntil ? alone : askedUntil;
}

/** How long a client may take over a refund that it asked for. */
const refundPatience = hour;

/**
 * Whoever asks for a refund is about to take its coins, however late: they are watched until that is seen. Who asks again
 * and again changes nothing.
 */
export function askedFor<S extends { readonly unwatched?: true; readonly askedUntil?: Unix }>(p: S, clocks: Clocks): S {
  const { unwatched, ...watched } = p;
  const now = laterOf(clocks);
  if (unwatched === undefined && (p.askedUntil ?? 0) > now + refundPatience / 2) return p;
  return { ...watched, askedUntil: after(now, refundPatience) } as unknown as S;
}

/** No HTLC of the payment can be left, nor any block that resolves one be missing. */
export function timedOut(t: T, now: Clocks): boolean {
  return now.bitcoin.height !== null && now.bitcoin.height > t.maxTimeoutHeight + blocksAfterTimeout;
}

/**
 * The swap was called off, and a call that got no answer may start its payment all the same: watched until no HTLC of it
 * can be left (facts/faults.md 55).
 */
export function latePayment(t: T, p: P & { at: 'stopped' | 'refunded' }, state: PaymentState, now: Clocks): Outcome<P> {
  if (state.is === 'settled') return lateSettlement(t, p, state);
  const { late, ...rest } = p;
  if (late === undefined) return 'stay';
  if (state.is === 'in-flight') return late === 'in-flight' ? 'stay' : move<P>({ ...p, late: 'in-flight' });
  if (timedOut(t, now)) return move<P>(rest);
  return state.is === 'failed' && late === 'in-flight' ? move<P>({ ...p, late: 'maybe' }) : 'stay';
}

function lateSettlement(
  t: T,
  p: P & { at: 'stopped' | 'refunded' },
  { preimage, feeMsat }: PaymentState & { is: 'settled' },
): Outcome<P> {
  const coin = p.strays
    .filter((stray) => !stray.spent)
    .reduce<Stray | null>((most, stray) => (most === null || stray.amount > most.amount ? stray : most), null);
  // The client holds our signature on its refund, which closed the claim for good: a person has to look.
  if (coin === null || p.at === 'refunded' || p.fenced) {
    const { late, ...rest } = p;
    return {
      progress: late === undefined ? p : rest,
      effects: [],
      learned: preimage,
      flag: 'A payment that had failed settled after all, and the VHTLC is refunded or may be.',
      ...(late === undefined
        ? {}
        : {
            ledger: [
              { kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) },
              { kind: 'loss', ...btc('arkade', -t.targetAmount) },
            ],
          }),
    };
  }
  const funded: Funded = { coin: coin.outpoint, surplus: noSats, strays: p.strays.filter((stray) => stray !== coin) };
  return {
    progress: { at: 'claiming', claimTxid: null, ...funded },
    effects: [claimEffect(t, funded)],
    learned: preimage,
    ledger: [{ kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) }],
    flag: 'A payment that had failed settled after all.',
  };
}

function stoppedCoins(p: P & { at: 'stopped' }, coins: readonly SeenCoin[]): Outcome<P> {
  if (coins.length === 0) return 'stay';
  const strays = straysBeside(coins, null, p.strays);
  if (!hasUnspent(strays))
    return move<P>({
      at: 'refunded',
      refundTxid: coins[0]?.spentIn ?? coins[0]?.settledBy ?? null,
      strays,
      ...lateOf(p),
    });
  if (sameStrays(strays, p.strays)) return 'stay';
  return p.why === 'expired'
    ? stop('late', 'the coin came after the funding window', p.fenced, strays, lateOf(p))
    : move<P>({ ...p, strays });
}

/** Done with its coin; further ones at the same address are listed, and we sign their refund. */
export function whenOver(t: T, p: P & { at: 'claimed' | 'lost' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'clock') return leftAlone(t, p, now);
  if (event.is === 'refund.cosign.requested') {
    const touchesOurs = event.coins.some((coin) => sameOutpoint(coin, p.coin));
    return touchesOurs || event.coins.length === 0 ? 'stay' : move<P>(askedFor(p, now));
  }
  const next = withStrays(p, event);
  return next === p ? 'stay' : move<P>(next);
}
