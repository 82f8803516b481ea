import { sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { after, minute, type Clocks, type Unix } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety/refund.ts';
import { broadcastEffect, exitEffect } from '../../swap/exit.ts';
import { move, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import type { Stray } from '../../swap/source.ts';
import { nothingOwedOr } from './seen.ts';
import type { Leg } from '../terms.ts';
import { dealtOf, payerIsOut, type Dealt, type VhtlcSourceProgress, type VhtlcSourceTerms } from './terms.ts';

type T = VhtlcSourceTerms;
type P<G extends Leg> = VhtlcSourceProgress<G>;

/** How long a provider that declined, or an operator that refused, is left alone. */
const pause = minute;

/** A wall clock that was set back must not make a pause of a minute one of days: coins that wait expire. */
function hasRested(notBefore: Unix | null, { wall }: Clocks): boolean {
  return notBefore === null || wall >= notBefore || wall + pause < notBefore;
}

export function lockOpen(p: Dealt, now: Clocks): boolean {
  return safeToRefund({ refundLocktime: p.deal.source.vhtlc.refundLocktime }, now) === null;
}

function nextOwed(coins: readonly Stray[]): Outpoint | null {
  return coins.find((coin) => !coin.spent)?.outpoint ?? null;
}

export function whenFunded<G extends Leg>(t: T, p: P<G> & { at: 'funded' }, event: Event, now: Clocks): Outcome<P<G>> {
  const coin = nextOwed(p.coins);
  const rested = hasRested(p.notBefore, now);
  switch (event.is) {
    case 'provider.seen': {
      const status = event.status;
      if (coin !== null && rested && payerIsOut.has(status) && !lockOpen(p, now))
        return ask(t, { ...p, said: status }, coin);
      return status === p.said ? 'stay' : move<P<G>>({ ...p, said: status });
    }
    case 'refund.requested':
      if (coin === null) return 'stay';
      return lockOpen(p, now) ? alone(t, p, coin) : ask(t, p, coin);
    case 'clock':
      return coin !== null && rested && lockOpen(p, now) ? alone(t, p, coin) : 'stay';
    default:
      return 'stay';
  }
}

export function keyOf(t: T) {
  return { branch: 'taker' as const, index: t.keyIndex };
}

function ask<G extends Leg>(t: T, p: Dealt<G>, coin: Outpoint): Step<P<G>> {
  const { swapId } = p.deal;
  return move<P<G>>(
    { at: 'asking', coin, ...dealtOf(p) },
    { do: 'provider.cosign', provider: t.provider, swapId, ...ours(t, p, coin) },
  );
}

/** By the refund without receiver: nobody is asked, and what was asked of the provider before is dropped. */
function alone<G extends Leg>(t: T, p: Dealt<G>, coin: Outpoint): Step<P<G>> {
  return {
    progress: { at: 'refunding', coin, refundTxid: null, ...dealtOf(p) },
    effects: [{ do: 'vhtlc.refund', ...ours(t, p, coin) }],
    supersedes: true,
  };
}

function ours(t: T, p: Dealt, coin: Outpoint) {
  return { terms: p.deal.source.vhtlc, script: p.deal.source.script, key: keyOf(t), coin };
}

/** The coin lies on the chain: there our last leaf takes it back without anybody, once its delay is over. */
function exit<G extends Leg>(t: T, p: P<G> & { at: 'refunding' }, leastRate = 0): Step<P<G>> {
  return move<P<G>>({ ...p, exit: true }, exitEffect({ purpose: 'refund', ...ours(t, p, p.coin) }, leastRate));
}

export function whenAsking<G extends Leg>(t: T, p: P<G> & { at: 'asking' }, event: Event, now: Clocks): Outcome<P<G>> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'refund'
        ? sending({ at: 'refunding', coin: p.coin, refundTxid: null, ...dealtOf(p) }, event.txid)
        : 'stay';
    case 'provider.declined':
      return move<P<G>>({ at: 'funded', notBefore: after(now.wall, pause), declined: event.reason, ...dealtOf(p) });
    case 'vhtlc.refused':
      return refused(t, { at: 'refunding', coin: p.coin, refundTxid: null, ...dealtOf(p) }, event, now);
    case 'clock':
      // The provider may be gone for good; from the locktime on it is not needed.
      return lockOpen(p, now) ? alone(t, p, p.coin) : 'stay';
    default:
      return 'stay';
  }
}

function sending<G extends Leg>(p: P<G> & { at: 'refunding' }, txid: Txid): Step<P<G>> {
  return move<P<G>>({ ...p, refundTxid: txid }, { do: 'vhtlc.submit', purpose: 'refund', txid });
}

export function whenRefunding<G extends Leg>(
  t: T,
  p: P<G> & { at: 'refunding' },
  event: Event,
  now: Clocks,
): Outcome<P<G>> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'refund' && p.refundTxid === null ? sending(p, event.txid) : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'refund'
        ? move<P<G>>(p, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'refund' ? refunded(p, event.txid) : 'stay';
    case 'vhtlc.refused':
      return refused(t, p, event, now);
    case 'onchain.prepared':
      return p.exit === true && event.purpose === 'refund'
        ? move<P<G>>({ ...p, refundTxid: event.txid }, broadcastEffect(p.coin, event))
        : 'stay';
    case 'onchain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'onchain.final':
      return p.exit === true ? refunded(p, event.txid) : 'stay';
    case 'onchain.refused':
      // Buried and not by a transaction that we know: the watch reads whose it is.
      return p.exit === true
        ? event.why === 'spent'
          ? move<P<G>>({ ...p, refundTxid: null })
          : { ...exit(t, p), flag: `The Bitcoin node refused our refund: ${event.reason}.` }
        : 'stay';
    default:
      return 'stay';
  }
}

function refunded<G extends Leg>(p: P<G> & { at: 'refunding' }, txid: Txid): Step<P<G>> {
  const coins = p.coins.map((coin) => (sameOutpoint(coin.outpoint, p.coin) ? { ...coin, spent: true } : coin));
  return move<P<G>>(nothingOwedOr({ ...dealtOf(p), coins }, txid));
}

function refused<G extends Leg>(
  t: T,
  p: P<G> & { at: 'refunding' },
  event: Event & { is: 'vhtlc.refused' },
  now: Clocks,
): Outcome<P<G>> {
  if (event.purpose !== 'refund') return 'stay';
  // The watch tells by whom: the provider's claim, or an earlier refund of ours.
  if (event.why === 'spent')
    return p.refundTxid !== null && event.txid === p.refundTxid ? move<P<G>>({ ...p, refundTxid: null }) : 'stay';
  if (event.why === 'recoverable')
    return move<P<G>>(p, { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p, p.coin) });
  if (event.why === 'unrolled') return exit(t, { ...p, refundTxid: null });
  const back: P<G> = { at: 'funded', notBefore: after(now.wall, pause), declined: event.reason, ...dealtOf(p) };
  return { progress: back, effects: [], flag: `The operator refused our refund: ${event.reason}.` };
}
