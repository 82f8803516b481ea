import { chainIdOf } from '../../domain/chain.ts';
import type { Clocks } from '../../domain/time.ts';
import { checksummed } from '../../legs/evm/address.ts';
import { evmTime, timelockPassed } from '../../legs/evm/timelocks.ts';
import { evmSide } from '../evm/facts.ts';
import { bitcoinSide, noTimes, type Facts, type Moved, type Pay } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import { timelockOf } from './locked.ts';
import { payableUntil } from './machine.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;
type Agreed = Exclude<P, { readonly at: 'creating' | 'refused' }>;

/** To our own account: from there the tokens are locked by a signature, as a payment link says it (EIP-681). */
function payOf(t: T, p: P): Pay | null {
  if (p.at !== 'waiting' || p.said !== 'pending') return null;
  const { amount, lock } = p.deal.source;
  const account = checksummed(t.account);
  const uri = `ethereum:${checksummed(lock.token)}@${chainIdOf(t.chain)}/transfer?address=${account}&uint256=${amount}`;
  return { kind: 'evm', text: account, uri, amount, until: payableUntil(p) };
}

function refundOf(t: T, p: Agreed, now: Clocks): Facts['refund'] {
  const from = timelockOf(p);
  switch (p.at) {
    case 'waiting':
    case 'funding':
    case 'lapsed':
      return { state: 'none', from, why: 'nothing-paid' };
    case 'asking':
    case 'refunding':
      return { state: 'running', from, why: null };
    case 'paid':
      return { state: 'none', from: null, why: 'spent' };
    case 'refunded':
      return { state: 'done', from, why: null };
    case 'locked':
      if (timelockPassed(from, now, t.chain)) return { state: 'possible', from, why: 'locktime-passed' };
      if (p.declined !== null) return { state: 'possible', from, why: 'provider-declined' };
      return { state: 'possible', from, why: payerIsOut.has(p.said) ? 'provider-out' : 'in-progress' };
  }
}

function movedBy({ chain: network }: T, p: Agreed): Moved[] {
  const fund = p.made?.txid ?? (p.at === 'funding' ? p.sent : null);
  const back = p.at === 'refunded' ? p.refundTxid : p.at === 'refunding' ? p.sent : null;
  return [
    ...(fund === null ? [] : [{ what: 'fund', network, txid: fund, whose: 'you' } as const]),
    ...(p.at === 'paid' ? [{ what: 'claim', network, txid: p.claimTxid, whose: 'provider' } as const] : []),
    ...(back === null ? [] : [{ what: 'refund', network, txid: back, whose: 'you' } as const]),
  ];
}

export function evmLightningFacts(t: T, p: P, now: Clocks): Facts {
  const get = bitcoinSide('lightning', t.targetAmount);
  const time = evmTime(now, t.chain);
  if (p.at === 'creating' || p.at === 'refused')
    return openingFacts(p, { give: evmSide(t, t.sourceAmount), get }, time);
  const declined = p.at === 'waiting' || p.at === 'locked' ? p.declined : null;
  return {
    give: evmSide(t, p.deal.source.amount),
    get,
    pay: payOf(t, p),
    times: { ...noTimes, now: time, payUntil: payableUntil(p), refundAloneFrom: timelockOf(p) },
    refund: refundOf(t, p, now),
    transactions: movedBy(t, p),
    reason: declined === null ? null : p.at === 'locked' ? 'refund-declined' : 'flagged',
    detail: declined,
  };
}
