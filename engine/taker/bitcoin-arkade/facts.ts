import { furthest, type Clocks } from '../../domain/time.ts';
import { refundOpens, revealUntil } from '../../legs/timelocks.ts';
import {
  bitcoinSide,
  bitcoinText,
  noTimes,
  notPaid,
  signedAs,
  type Facts,
  type Moved,
  type Paid,
  type Pay,
  type Times,
} from '../facts.ts';
import { hasOurs, isShown, lockOpen, ourCoins } from './coins.ts';
import { providerIsOut, type Dealt, type TakeBitcoinArkadeProgress, type TakeBitcoinArkadeTerms } from './terms.ts';

type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

function payOf(p: P): Pay | null {
  if (p.at !== 'waiting' || providerIsOut.has(p.said) || p.lookUntil !== null || p.cancelled === true) return null;
  const { address, amount } = p.deal.source;
  return {
    kind: 'bitcoin',
    text: address,
    uri: `bitcoin:${address}?amount=${bitcoinText(amount)}`,
    amount,
    until: p.deal.payBefore,
  };
}

/**
 * One clock judges both legs. Our coin on the chain never expires: what can be lost is the VHTLC, from the moment our
 * secret is out.
 */
function timesOf(t: T, p: P & Dealt, now: Clocks): Times {
  const { source, target, payBefore } = p.deal;
  const normalUntil = revealUntil(target.vhtlc.refundLocktime, t.policy);
  const exposed = p.at === 'claiming';
  return {
    ...noTimes,
    now: furthest(now.bitcoin).mtp,
    payUntil: payBefore,
    normalUntil,
    refundAloneFrom: refundOpens(source.htlc.refundLocktime),
    dangerFrom: exposed ? normalUntil : null,
    last: exposed ? refundOpens(target.vhtlc.refundLocktime) : null,
  };
}

const hadCoins: ReadonlySet<P['at']> = new Set(['funded', 'claimed', 'refunding', 'done', 'lost']);

function paidOf(p: P & Dealt): Paid {
  const sum = (some: Dealt['coins']) => some.reduce((total, { amount }) => total + amount, 0n);
  const ours = ourCoins(p);
  // A coin that the chain showed and shows no more: evicted, or its block is gone.
  if (p.coins.length === 0) return hadCoins.has(p.at) ? { state: 'unclear', amount: null } : notPaid;
  if (ours.length > 0) return { state: 'stands', amount: sum(ours) };
  if (p.coins.some(({ spend }) => spend?.by === 'claim') || p.payout !== null)
    return { state: 'taken', amount: p.deal.source.amount };
  const back = p.coins.filter(({ spend }) => spend?.by === 'refund');
  if (back.length > 0) return { state: 'back', amount: sum(back) };
  return hadCoins.has(p.at) ? { state: 'unclear', amount: null } : notPaid;
}

function refundOf(p: P & Dealt, now: Clocks): Facts['refund'] {
  const from = refundOpens(p.deal.source.htlc.refundLocktime);
  switch (p.at) {
    case 'waiting':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'done':
      return { state: 'done', from, why: null };
    case 'claiming':
      return { state: 'none', from: null, why: 'spent' };
    default:
      break;
  }
  if (!hasOurs(p)) return { state: 'none', from: null, why: 'spent' };
  if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
  return { state: 'later', from, why: p.at === 'claimed' ? 'surplus' : 'locktime' };
}

function movedBy(p: P & Dealt): Moved[] {
  const { payout } = p;
  const isOurs = payout !== null && payout !== 'lost';
  const lock = isOurs ? payout.coin : p.at === 'claiming' ? p.coin : null;
  const signed = !isOurs && p.at === 'claiming' ? p.claimTxid : null;
  const onChain = p.at === 'claiming' && p.exit === true;
  const last = p.at === 'refunding' ? p.spends.at(-1) : undefined;
  const sent = last === undefined || p.coins.some(({ spend }) => spend?.txid === last) ? null : last;
  return [
    ...p.coins.map(({ outpoint }): Moved => ({ what: 'fund', network: 'bitcoin', txid: outpoint.txid, whose: 'you' })),
    ...(lock === null ? [] : [{ what: 'lock', network: 'arkade', txid: lock.txid, whose: 'provider' } as const]),
    ...(isOurs
      ? [{ what: 'claim', network: onChain ? 'bitcoin' : 'arkade', txid: payout.claimTxid, whose: 'you' } as const]
      : signedAs('claim', onChain ? 'bitcoin' : 'arkade', signed)),
    ...p.coins.flatMap(({ spend }): Moved[] =>
      spend === null
        ? []
        : [{ what: spend.by, network: 'bitcoin', txid: spend.txid, whose: spend.by === 'claim' ? 'provider' : 'you' }],
    ),
    ...signedAs('refund', 'bitcoin', sent),
  ];
}

function reasonOf(p: P): Pick<Facts, 'reason' | 'detail'> {
  switch (p.at) {
    case 'refused':
      return { reason: p.reason, detail: p.detail };
    case 'funded':
      if (isShown(p)) return { reason: 'flagged', detail: null };
      return { reason: p.why === null ? null : 'lock-unsafe', detail: p.why };
    case 'lost':
      return { reason: 'taken-back', detail: null };
    default:
      return { reason: null, detail: null };
  }
}

export function bitcoinArkadeFacts(t: T, p: P, now: Clocks): Facts {
  const none = p.at === 'creating' || p.at === 'refused';
  return {
    give: bitcoinSide('bitcoin', none ? t.sourceAmount : p.deal.source.amount),
    get: bitcoinSide('arkade', none ? t.targetAmount : p.deal.target.amount),
    to: { own: true, text: t.targetAddress },
    paid: none ? notPaid : paidOf(p),
    pay: payOf(p),
    times: none ? { ...noTimes, now: furthest(now.bitcoin).mtp } : timesOf(t, p, now),
    refund: none ? { state: 'none', from: null, why: 'nothing-paid' } : refundOf(p, now),
    transactions: none ? [] : movedBy(p),
    ...reasonOf(p),
  };
}
