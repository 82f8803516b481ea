import { furthest, type Clocks } from '../../domain/time.ts';
import { leavingStarts } from '../../legs/arkade/leaving-rule.ts';
import { invoicePayableUntil, payoutOver, refundOpens } from '../../legs/timelocks.ts';
import { hasUnspent } from '../../swap/source.ts';
import { bitcoinSide, bitcoinText, noTimes, type Facts, type Moved, type Pay, type Times } from '../facts.ts';
import { lockOpen } from '../vhtlc-source/refunding.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

type T = TakeArkadeLightningTerms;
type P = TakeArkadeLightningProgress;
type DealtState = Exclude<P, { at: 'creating' | 'refused' }>;

function payOf(p: P): Pay | null {
  if (p.at !== 'waiting' || p.said === 'expired') return null;
  const { source, target } = p.deal;
  return {
    kind: 'arkade',
    text: source.address,
    uri: `bitcoin:?ark=${source.address}&amount=${bitcoinText(source.amount)}`,
    amount: source.amount,
    until: invoicePayableUntil(target.expiresAt),
  };
}

/** The provider may still take our coin until its refund opens; past its own expiry the operator may. */
function timesOf(t: T, p: DealtState, now: Clocks): Times {
  const { source, target } = p.deal;
  const expires = hasUnspent(p.coins) ? p.expiresAt : null;
  return {
    now: furthest(now.bitcoin).mtp,
    payUntil: invoicePayableUntil(target.expiresAt),
    normalUntil: payoutOver(source.vhtlc.refundLocktime, t.policy),
    refundSignedFrom: null,
    refundAloneFrom: refundOpens(source.vhtlc.refundLocktime),
    dangerFrom: expires === null ? null : leavingStarts(expires, source.vhtlc.refundWithoutReceiverDelay),
    last: expires,
  };
}

function refundOf(p: DealtState, now: Clocks): Facts['refund'] {
  const from = refundOpens(p.deal.source.vhtlc.refundLocktime);
  switch (p.at) {
    case 'waiting':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'asking':
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'done':
      return p.proof === null ? { state: 'done', from, why: null } : { state: 'none', from: null, why: 'spent' };
    case 'funded':
      if (!hasUnspent(p.coins)) return { state: 'none', from, why: 'nothing-paid' };
      if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
      if (p.proof !== null) return { state: 'possible', from, why: 'surplus' };
      if (p.declined !== null) return { state: 'possible', from, why: 'provider-declined' };
      return { state: 'possible', from, why: payerIsOut.has(p.said) ? 'provider-out' : 'in-progress' };
  }
}

function movedBy(p: DealtState): Moved[] {
  const claim = p.proof?.claimTxid ?? null;
  const back = 'refundTxid' in p && p.refundTxid !== claim ? p.refundTxid : null;
  const exit = p.at === 'refunding' && p.exit === true;
  return [
    ...p.coins.map(({ outpoint }): Moved => ({ what: 'fund', network: 'arkade', txid: outpoint.txid, whose: 'you' })),
    ...(claim === null ? [] : [{ what: 'claim', network: 'arkade', txid: claim, whose: 'provider' } as const]),
    ...(back === null
      ? []
      : [
          {
            what: exit ? 'exit' : 'refund',
            network: exit ? 'bitcoin' : 'arkade',
            txid: back,
            whose: 'you',
          } as const,
        ]),
  ];
}

export function arkadeLightningFacts(t: T, p: P, now: Clocks): Facts {
  if (p.at === 'creating' || p.at === 'refused')
    return {
      give: bitcoinSide('arkade', t.sourceAmount),
      get: bitcoinSide('lightning', t.targetAmount),
      pay: null,
      times: { ...noTimes, now: furthest(now.bitcoin).mtp },
      refund: { state: 'none', from: null, why: 'nothing-paid' },
      transactions: [],
      reason: p.at === 'refused' ? p.reason : null,
      detail: p.at === 'refused' ? p.detail : null,
    };
  const declined = p.at === 'funded' ? p.declined : null;
  return {
    give: bitcoinSide('arkade', p.deal.source.amount),
    get: bitcoinSide('lightning', p.deal.target.amount),
    pay: payOf(p),
    times: timesOf(t, p, now),
    refund: refundOf(p, now),
    transactions: movedBy(p),
    reason: declined === null ? null : 'refund-declined',
    detail: declined,
  };
}
