import { furthest, type Clocks } from '../../domain/time.ts';
import { refundOpens, revealUntil } from '../../legs/timelocks.ts';
import {
  bitcoinSide,
  noTimes,
  notPaid,
  signedAs,
  type Facts,
  type Moved,
  type Paid,
  type Pay,
  type Times,
} from '../facts.ts';
import { saysUnpaid, type Dealt, type TakeLightningArkadeProgress, type TakeLightningArkadeTerms } from './terms.ts';

type T = TakeLightningArkadeTerms;
type P = TakeLightningArkadeProgress;

function payOf(p: P): Pay | null {
  if (p.at !== 'waiting' || p.said !== 'pending' || p.cancelled === true) return null;
  const { amount, bolt11, expiresAt } = p.deal.source;
  return { kind: 'invoice', text: bolt11, uri: `lightning:${bolt11}`, amount, until: expiresAt };
}

/**
 * The provider's lock must be claimed before its refund opens. What is held over Lightning has no locktime of ours: it
 * goes back by itself. Only what has left us can be lost: there is a last date from the claim on.
 */
function timesOf(t: T, p: P & Dealt, now: Clocks): Times {
  const { source, target } = p.deal;
  const normalUntil = revealUntil(target.vhtlc.refundLocktime, t.policy);
  const exposed = p.at === 'claiming';
  return {
    ...noTimes,
    now: furthest(now.bitcoin).mtp,
    payUntil: source.expiresAt,
    normalUntil,
    dangerFrom: exposed ? normalUntil : null,
    last: exposed ? refundOpens(target.vhtlc.refundLocktime) : null,
  };
}

/**
 * The wallet that pays is not ours to see: that a payment is held is what the provider says, and what its lock shows.
 */
function paidOf(p: P): Paid {
  const byWord: Paid = { state: 'told', amount: null };
  switch (p.at) {
    case 'creating':
    case 'refused':
      return notPaid;
    case 'waiting':
      return p.why === null && saysUnpaid.has(p.said) ? notPaid : byWord;
    case 'ended':
      return p.detail === null && saysUnpaid.has(p.said) ? notPaid : byWord;
    case 'claiming':
      return byWord;
    case 'claimed':
    case 'lost':
      return { state: 'taken', amount: p.deal.source.amount };
  }
}

function movedBy(p: P): Moved[] {
  if (p.at !== 'claiming' && p.at !== 'claimed') return [];
  const exit = p.at === 'claiming' && p.exit === true;
  return [
    ...(p.coin === null ? [] : [{ what: 'lock', network: 'arkade', txid: p.coin.txid, whose: 'provider' } as const]),
    ...(p.at === 'claimed' && p.claimTxid !== null
      ? [{ what: 'claim', network: 'arkade', txid: p.claimTxid, whose: 'you' } as const]
      : signedAs('claim', exit ? 'bitcoin' : 'arkade', p.claimTxid)),
  ];
}

function reasonOf(p: P): Pick<Facts, 'reason' | 'detail'> {
  switch (p.at) {
    case 'refused':
    case 'ended':
      return { reason: p.reason, detail: p.detail };
    case 'waiting':
      return { reason: p.why === null ? null : 'lock-unsafe', detail: p.why };
    case 'lost':
      return { reason: 'taken-back', detail: null };
    default:
      return { reason: null, detail: null };
  }
}

export function lightningArkadeFacts(t: T, p: P, now: Clocks): Facts {
  const dealt = p.at === 'creating' || p.at === 'refused' ? null : p;
  return {
    give: bitcoinSide('lightning', dealt?.deal.source.amount ?? t.sourceAmount),
    get: bitcoinSide('arkade', dealt?.deal.target.amount ?? t.targetAmount),
    to: { own: true, text: t.targetAddress },
    paid: paidOf(p),
    pay: payOf(p),
    times: dealt === null ? { ...noTimes, now: furthest(now.bitcoin).mtp } : timesOf(t, dealt, now),
    refund: { state: 'none', from: null, why: p.at === 'claimed' ? 'spent' : 'returns-by-itself' },
    transactions: movedBy(p),
    ...reasonOf(p),
  };
}
