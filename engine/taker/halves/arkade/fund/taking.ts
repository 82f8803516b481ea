import { sameOutpoint, type Outpoint, type Txid } from '../../../../domain/outpoint.ts';
import { after, minute, type Clocks } from '../../../../domain/time.ts';
import { move, type Event, type Step } from '../../../../swap/machine.ts';
import { hasUnspent } from '../../../../swap/halves/extra-coins.ts';
import type { Taker } from '../../../../swap/halves/arkade/taking.ts';
import { fundedAs, baseOf, type ArkadeFunding, type ArkadeFundTerms, type Base, type Stage } from './terms.ts';

type T = ArkadeFundTerms;
type P = ArkadeFunding;
export type Refunding = Stage<'refunding'>;

/** How long a provider that declined, or an operator that refused, is left alone. */
export const pause = minute;

export function keyOf(t: T) {
  return { branch: 'taker' as const, index: t.keyIndex };
}

export function ours(t: T, p: Base, coin: Outpoint) {
  return { terms: p.deal.source.vhtlc, script: p.deal.source.script, key: keyOf(t), coin };
}

export const coinDenied =
  'The operator reports a coin of ours as spent by a transaction that fits none of its leaves: stop using this ' +
  'operator.';

export const halfRefunded =
  'The provider gave our refund to the Arkade operator and has not made it final, so that nobody can take the coin ' +
  'there: it is taken back over the Bitcoin chain after the locktime. Have some coins in the Bitcoin wallet for the ' +
  'fees, and use another provider.';

/** `now`: of the event that is judged. `isAwaited`: what the provider locked is still to be claimed. */
export function refundOf(t: T, now: Clocks, isAwaited: boolean): Taker<Refunding, Step<P>> {
  return {
    purpose: 'refund',
    ours: (p) => ours(t, p, p.coin),
    sent: (p) => p.refundTxid,
    withSent: (p, refundTxid) => ({ ...p, refundTxid }),
    taken: (p, txid) => refunded(p, txid, isAwaited),
    // By itself or with the provider's signature: which of the two it is next, the time decides.
    refused: (p, event) => (event.why === 'refused' || event.why === 'late' ? declined(p, event, now) : null),
    denied: coinDenied,
  };
}

function declined(p: Base, { reason }: Event & { is: 'vhtlc.refused' }, now: Clocks): Step<P> {
  return {
    progress: fundedAs(p, after(now.wall, pause), reason),
    effects: [],
    flag: `The operator refused our refund: ${reason}.`,
  };
}

function refunded(p: Refunding, txid: Txid, isAwaited: boolean): Step<P> {
  const coins = p.coins.map((coin) => (sameOutpoint(coin.outpoint, p.coin) ? { ...coin, spent: true } : coin));
  return move<P>(nothingOwedOr({ ...baseOf(p), coins }, txid, isAwaited));
}

/**
 * Nothing of ours lies there. Taken with our secret before what it was given for is ours: that is waited for
 * (facts/faults.md 118).
 */
export function nothingOwedOr(p: Base, refundTxid: Txid | null, isAwaited: boolean): P {
  return hasUnspent(p.coins) || (isAwaited && p.proof !== null)
    ? fundedAs(p)
    : { at: 'done', refundTxid, over: false, ...baseOf(p) };
}
