import { sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { after, minute, type Clocks } from '../../domain/time.ts';
import { move, type Event, type Step } from '../../swap/machine.ts';
import { hasUnspent } from '../../swap/halves/extra-coins.ts';
import type { Taker } from '../../swap/halves/arkade/taking.ts';
import type { Leg } from '../terms.ts';
import { dealtOf, type Dealt, type VhtlcSourceProgress, type VhtlcSourceTerms } from './terms.ts';

type T = VhtlcSourceTerms;
type P<G extends Leg> = VhtlcSourceProgress<G>;
export type Refunding<G extends Leg> = P<G> & { at: 'refunding' };

/** How long a provider that declined, or an operator that refused, is left alone. */
export const pause = minute;

export function keyOf(t: T) {
  return { branch: 'taker' as const, index: t.keyIndex };
}

export function ours(t: T, p: Dealt, coin: Outpoint) {
  return { terms: p.deal.source.vhtlc, script: p.deal.source.script, key: keyOf(t), coin };
}

export const coinDenied =
  'The operator reports a coin of ours as spent by a transaction that fits none of its leaves: stop using this ' +
  'operator.';

/** `now`: of the event that is judged. */
export function refundOf<G extends Leg>(t: T, now: Clocks): Taker<Refunding<G>, Step<P<G>>> {
  return {
    purpose: 'refund',
    ours: (p) => ours(t, p, p.coin),
    sent: (p) => p.refundTxid,
    withSent: (p, refundTxid) => ({ ...p, refundTxid }),
    taken: refunded,
    // By itself or with the provider's signature: which of the two it is next, the time decides.
    refused: (p, event) => (event.why === 'refused' || event.why === 'late' ? declined(p, event, now) : null),
    denied: coinDenied,
  };
}

function declined<G extends Leg>(p: Dealt<G>, { reason }: Event & { is: 'vhtlc.refused' }, now: Clocks): Step<P<G>> {
  return {
    progress: { at: 'funded', notBefore: after(now.wall, pause), declined: reason, ...dealtOf(p) },
    effects: [],
    flag: `The operator refused our refund: ${reason}.`,
  };
}

function refunded<G extends Leg>(p: Refunding<G>, txid: Txid): Step<P<G>> {
  const coins = p.coins.map((coin) => (sameOutpoint(coin.outpoint, p.coin) ? { ...coin, spent: true } : coin));
  return move<P<G>>(nothingOwedOr({ ...dealtOf(p), coins }, txid));
}

export function nothingOwedOr<G extends Leg>(p: Dealt<G>, refundTxid: Txid | null): P<G> {
  return hasUnspent(p.coins)
    ? { at: 'funded', notBefore: null, declined: null, ...dealtOf(p) }
    : { at: 'done', refundTxid, over: false, ...dealtOf(p) };
}
