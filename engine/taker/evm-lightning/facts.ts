import type { Clocks } from '../../domain/time.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import { evmSide } from '../evm/facts.ts';
import { lockMoves, lockPaid, lockRefund, notLocked, payToAccount } from '../evm-source/facts.ts';
import { timelockOf } from '../evm-source/terms.ts';
import { bitcoinSide, noTimes, type Facts, type Moved } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import { payableUntil } from './payable.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;

function reasonOf(p: P): Pick<Facts, 'reason' | 'detail'> {
  if (p.at === 'waiting') return notLocked(p);
  const declined = p.at === 'locked' ? p.declined : null;
  return { reason: declined === null ? null : 'refund-declined', detail: declined };
}

export function evmLightningFacts(t: T, p: P, now: Clocks): Facts {
  const get = bitcoinSide('lightning', t.targetAmount);
  const to = { own: false, text: t.bolt11 };
  const time = evmTime(now, t.chain);
  if (p.at === 'creating' || p.at === 'refused')
    return openingFacts(p, { give: evmSide(t, t.sourceAmount), get, to }, time);
  const payUntil = payableUntil(p);
  const claim: Moved[] =
    p.at === 'paid' ? [{ what: 'claim', network: t.chain, txid: p.claimTxid, whose: 'provider' }] : [];
  return {
    give: evmSide(t, p.deal.source.amount),
    get,
    to,
    paid: lockPaid(t, p, now, p.at === 'paid'),
    pay: p.at === 'waiting' ? payToAccount(t, p, payUntil) : null,
    times: { ...noTimes, now: time, payUntil, refundAloneFrom: timelockOf(p) },
    refund: p.at === 'paid' ? { state: 'none', from: null, why: 'spent' } : lockRefund(t, p, now),
    transactions: lockMoves(t, p, claim),
    ...reasonOf(p),
  };
}
