import type { Outpoint } from '../../../../domain/outpoint.ts';
import { after, isAhead, type Clocks } from '../../../../domain/time.ts';
import { safeToRefund } from '../../../../legs/safety/refund.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../../../swap/machine.ts';
import type { ExtraCoin } from '../../../../swap/halves/extra-coins.ts';
import { takingAnew, whileTaking } from '../../../../swap/halves/arkade/taking.ts';
import { takes } from '../../../../swap/halves/takes.ts';
import { payerIsOut } from '../../../words.ts';
import { ours, pause, refundOf, type Refunding } from './taking.ts';
import { fundedAs, baseOf, type ArkadeFunding, type ArkadeFundTerms, type Base, type Stage } from './terms.ts';

type T = ArkadeFundTerms;
type P = ArkadeFunding;

export function lockOpen(p: Base, now: Clocks): boolean {
  return safeToRefund({ refundLocktime: p.deal.source.vhtlc.refundLocktime }, now) === null;
}

/**
 * The largest first: dust that a stranger sends, and that nobody gives back, keeps what is ours from nothing
 * (facts/faults.md 87). What its operator denies comes last: it can be had on the chain alone, and nobody's signature
 * helps.
 */
function nextOwed(coins: readonly ExtraCoin[], isAlone: boolean): Outpoint | null {
  const unspent = coins.filter(({ spent }) => !spent).sort((a, b) => Number(b.amount - a.amount));
  const next = unspent.find(({ denied }) => denied !== true) ?? (isAlone ? unspent[0] : undefined);
  return next?.outpoint ?? null;
}

export function whenFunded(t: T, p: Stage<'funded'>, event: Event, now: Clocks): Outcome<P> {
  const isOpen = lockOpen(p, now);
  const coin = nextOwed(p.coins, isOpen);
  const rested = p.notBefore === null || !isAhead(p.notBefore, pause, now.wall);
  switch (event.is) {
    case 'provider.seen': {
      const status = event.status;
      // What came after the owner had cancelled is asked back once, though the provider might still finish.
      if (coin !== null && rested && (payerIsOut.has(status) || isUnwanted(p)) && !isOpen)
        return ask(t, { ...p, said: status }, coin);
      return status === p.said ? 'stay' : move<P>({ ...p, said: status });
    }
    case 'refund.requested':
      if (coin === null) return 'stay';
      return isOpen ? alone(t, p, coin) : ask(t, p, coin);
    case 'clock':
      return coin !== null && rested && isOpen ? alone(t, p, coin) : 'stay';
    default:
      return 'stay';
  }
}

function isUnwanted(p: Stage<'funded'>): boolean {
  return p.cancelled === true && p.declined === null;
}

function ask(t: T, p: Base, coin: Outpoint): Step<P> {
  return move<P>({ at: 'asking', coin, ...baseOf(p) }, askEffect(t, p, coin));
}

function askEffect(t: T, p: Base, coin: Outpoint): Effect {
  return { do: 'provider.cosign', provider: t.provider, swapId: p.deal.swapId, ...ours(t, p, coin) };
}

export function resumeRefund(t: T, p: P, now: Clocks): readonly Effect[] {
  switch (p.at) {
    case 'asking':
      return [askEffect(t, p, p.coin)];
    case 'refunding':
      // Of the taker only what asks for the transaction counts.
      return takingAnew(refundOf(t, now, false), p);
    default:
      return [];
  }
}

/** By the refund without receiver: nobody is asked, and what was asked of the provider before is dropped. */
function alone(t: T, p: Base, coin: Outpoint): Step<P> {
  return {
    progress: { at: 'refunding', coin, refundTxid: null, ...baseOf(p) },
    effects: [{ do: 'vhtlc.refund', ...ours(t, p, coin) }],
    supersedes: true,
  };
}

export function whenAsking(t: T, p: Stage<'asking'>, event: Event, now: Clocks, isAwaited: boolean): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return whileTaking(refundOf(t, now, isAwaited), asRefunding(p), event) ?? 'stay';
    case 'provider.declined':
      return move<P>(fundedAs(p, after(now.wall, pause), event.reason));
    case 'vhtlc.refused':
      return event.purpose === 'refund' && event.why === 'spent' && takes(event, p.coin)
        ? move<P>(fundedAs(p, after(now.wall, pause), event.reason))
        : (whileTaking(refundOf(t, now, isAwaited), asRefunding(p), event) ?? 'stay');
    case 'clock':
      // The provider may be gone for good; from the locktime on it is not needed.
      return lockOpen(p, now) ? alone(t, p, p.coin) : 'stay';
    default:
      return 'stay';
  }
}

function asRefunding(p: Stage<'asking'>): Refunding {
  return { at: 'refunding', coin: p.coin, refundTxid: null, ...baseOf(p) };
}

export function whenRefunding(t: T, p: Refunding, event: Event, now: Clocks, isAwaited: boolean): Outcome<P> {
  // What the provider signed comes late where we have begun without it: one of the two is enough.
  if (event.is === 'vhtlc.prepared' && p.refundTxid !== null && p.refundTxid !== event.txid) return 'stay';
  return whileTaking(refundOf(t, now, isAwaited), p, event) ?? 'stay';
}
