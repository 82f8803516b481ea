import type { Clocks } from '../../domain/time.ts';
import { noTimes, type Facts, type Sides, type Times } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import type { OrderTerms } from '../terms.ts';
import { windowOf } from '../window.ts';
import { besideOf, isAgreed, type Agreed, type ClaimingState, type Pair, type State } from './pair.ts';

/** A swap as facts, for its owner. */
export function factsOf(pair: Pair, t: OrderTerms, p: State, now: Clocks): Facts {
  const { claim, fund } = pair;
  const deal = isAgreed(p) ? p.deal : null;
  const sides: Sides = {
    give: fund.view.give(t, deal),
    get: claim.view.get(t, deal, isAgreed(p) && p.at !== 'claiming' ? p.target : claim.none),
    to: claim.view.to(t),
  };
  if (!isAgreed(p)) return openingFacts(p, sides, fund.view.now(t, now));
  const beside = besideOf(pair, t, p);
  const back = fund.view.back?.(t, p) ?? null;
  const [lock, claiming] = p.at === 'claiming' ? [claim.none, p.target] : [p.target, null];
  return {
    ...sides,
    paid: fund.view.paid(t, p, now, beside),
    pay: p.at === 'waiting' ? fund.view.pay(t, p, beside.window.pay) : null,
    times: times(pair, t, p, now),
    refund: fund.view.refund(t, p, now, beside),
    ...(back === null ? {} : { back }),
    transactions: fund.view.moves(t, p, claim.view.moves(t, lock, claiming)),
    ...reason(pair, t, p),
  };
}

/**
 * While we claim, and once the provider has what we gave, its lock is what can be lost, by the clock of its chain; ours
 * until then.
 */
function times(pair: Pair, t: OrderTerms, p: Agreed | ClaimingState, now: Clocks): Times {
  const { claim, fund } = pair;
  const { deal } = p;
  const { pay: payUntil } = windowOf(t, deal);
  const own = { now: fund.view.now(t, now), ...fund.view.times(t, p) };
  const theirs = claim.view.times(t, deal);
  const isOut = p.at === 'funded' && fund.isTaken(p) && claim.fate(p.target, true) === null;
  if (theirs === null) return { ...noTimes, ...own, payUntil, normalUntil: fund.view.payoutUntil?.(t, p) ?? null };
  if (p.at !== 'claiming' && !isOut) return { ...noTimes, ...own, payUntil, normalUntil: theirs.until };
  return {
    ...noTimes,
    now: claim.view.now(t, now),
    payUntil,
    normalUntil: theirs.until,
    refundAloneFrom: own.refundAloneFrom,
    dangerFrom: theirs.until,
    last: theirs.end,
  };
}

/** Why it waits or ended as it did. */
function reason(pair: Pair, t: OrderTerms, p: Agreed | ClaimingState): Pick<Facts, 'reason' | 'detail'> {
  const { claim, fund } = pair;
  const none = { reason: null, detail: null };
  const isUnderWay = p.at === 'funded' || p.at === 'claiming';
  if (p.at === 'claiming') return claim.view.reason?.(p.target, isUnderWay) ?? none;
  const beside = besideOf(pair, t, p);
  const own = fund.view.reason?.(p, beside) ?? null;
  const declined = fund.view.declined?.(p) ?? null;
  if (own !== null) return own;
  if (beside.fate === 'lost') return { reason: 'taken-back', detail: declined };
  if (declined !== null) return { reason: 'refund-declined', detail: declined };
  if (p.at === 'funded' && beside.unsafe !== null) return { reason: 'lock-unsafe', detail: beside.unsafe };
  return claim.view.reason?.(p.target, isUnderWay) ?? none;
}
