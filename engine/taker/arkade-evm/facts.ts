import { furthest, unix, type Clocks } from '../../domain/time.ts';
import { leavingStarts } from '../../legs/arkade/leaving-rule.ts';
import { refundOpens, revealMargin } from '../../legs/timelocks.ts';
import { hasUnspent } from '../../swap/source.ts';
import { evmSide } from '../evm/facts.ts';
import { bitcoinSide, bitcoinText, noTimes, type Facts, type Moved, type Pay, type Times } from '../facts.ts';
import { lockOpen } from '../vhtlc-source/refunding.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;
type Agreed = Exclude<P, { readonly at: 'creating' | 'refused' }>;

function payOf(p: P): Pay | null {
  if (p.at !== 'waiting' || p.said === 'expired') return null;
  const { address, amount } = p.deal.source;
  return {
    kind: 'arkade',
    text: address,
    uri: `bitcoin:?ark=${address}&amount=${bitcoinText(amount)}`,
    amount,
    until: null,
  };
}

/** Our claim ends with the provider's lock, by the clock of its chain; our refund opens by median time past. */
function timesOf(t: T, p: Agreed, now: Clocks): Times {
  const { source, target } = p.deal;
  const expires = hasUnspent(p.coins) ? p.expiresAt : null;
  return {
    now: furthest(now.bitcoin).mtp,
    payUntil: null,
    normalUntil: unix(Number(target.lock.timelock) - revealMargin(t.policy)),
    refundSignedFrom: null,
    refundAloneFrom: refundOpens(source.vhtlc.refundLocktime),
    dangerFrom: expires === null ? null : leavingStarts(expires, source.vhtlc.refundWithoutReceiverDelay),
    last: expires,
  };
}

function refundOf(p: Agreed, now: Clocks): Facts['refund'] {
  const from = refundOpens(p.deal.source.vhtlc.refundLocktime);
  switch (p.at) {
    case 'waiting':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'claiming':
    case 'claimed':
      return { state: 'none', from: null, why: 'spent' };
    case 'asking':
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'done':
      return p.claimTxid === null && p.proof === null
        ? { state: 'done', from, why: null }
        : { state: 'none', from: null, why: 'spent' };
    case 'funded':
      if (!hasUnspent(p.coins)) return { state: 'none', from, why: 'nothing-paid' };
      if (lockOpen(p, now)) return { state: 'possible', from, why: 'locktime-passed' };
      if (p.proof !== null) return { state: 'possible', from, why: 'surplus' };
      if (p.declined !== null) return { state: 'possible', from, why: 'provider-declined' };
      return { state: 'possible', from, why: payerIsOut.has(p.said) ? 'provider-out' : 'in-progress' };
  }
}

function movedBy(t: T, p: Agreed): Moved[] {
  const taken = p.proof?.claimTxid ?? null;
  const back = 'refundTxid' in p && p.refundTxid !== taken ? p.refundTxid : null;
  const exit = p.at === 'refunding' && p.exit === true;
  const claim = p.claimTxid ?? (p.at === 'claiming' ? p.sent : null);
  return [
    ...p.coins.map(({ outpoint }): Moved => ({ what: 'fund', network: 'arkade', txid: outpoint.txid, whose: 'you' })),
    ...(p.lockTxid === null ? [] : [{ what: 'lock', network: t.chain, txid: p.lockTxid, whose: 'provider' } as const]),
    ...(claim === null ? [] : [{ what: 'claim', network: t.chain, txid: claim, whose: 'you' } as const]),
    ...(taken === null ? [] : [{ what: 'claim', network: 'arkade', txid: taken, whose: 'provider' } as const]),
    ...(back === null
      ? []
      : [{ what: exit ? 'exit' : 'refund', network: exit ? 'bitcoin' : 'arkade', txid: back, whose: 'you' } as const]),
  ];
}

export function arkadeEvmFacts(t: T, p: P, now: Clocks): Facts {
  const give = bitcoinSide('arkade', t.sourceAmount);
  if (p.at === 'creating' || p.at === 'refused')
    return {
      give,
      get: evmSide(t, t.targetAmount),
      pay: null,
      times: { ...noTimes, now: furthest(now.bitcoin).mtp },
      refund: { state: 'none', from: null, why: 'nothing-paid' },
      transactions: [],
      reason: p.at === 'refused' ? p.reason : null,
      detail: p.at === 'refused' ? p.detail : null,
    };
  const declined = p.at === 'funded' ? p.declined : null;
  return {
    give,
    get: evmSide(t, p.deal.target.amount),
    pay: payOf(p),
    times: timesOf(t, p, now),
    refund: refundOf(p, now),
    transactions: movedBy(t, p),
    reason: p.takenBack
      ? 'taken-back'
      : declined !== null
        ? 'refund-declined'
        : p.at === 'funded' && p.unsafe !== null
          ? 'lock-unsafe'
          : null,
    detail: declined ?? (p.at === 'funded' ? p.unsafe : null),
  };
}
