import { furthest, type Clocks } from '../../domain/time.ts';
import { invoicePayableUntil, payoutOver } from '../../legs/timelocks.ts';
import { bitcoinSide, type Facts } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import { payVhtlc, vhtlcMoves, vhtlcPaid, vhtlcRefund, vhtlcTimes } from '../vhtlc-source/facts.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

type T = TakeArkadeLightningTerms;
type P = TakeArkadeLightningProgress;

export function arkadeLightningFacts(t: T, p: P, now: Clocks): Facts {
  const to = { own: false, text: t.bolt11 };
  if (p.at === 'creating' || p.at === 'refused')
    return openingFacts(
      p,
      { give: bitcoinSide('arkade', t.sourceAmount), get: bitcoinSide('lightning', t.targetAmount), to },
      furthest(now.bitcoin).mtp,
    );
  const { source, target } = p.deal;
  const payUntil = invoicePayableUntil(target.expiresAt);
  const declined = p.at === 'funded' ? p.declined : null;
  return {
    give: bitcoinSide('arkade', source.amount),
    get: bitcoinSide('lightning', target.amount),
    to,
    paid: vhtlcPaid(p),
    pay: p.at === 'waiting' ? payVhtlc(p, payUntil) : null,
    // The provider may still take our coin until its refund opens.
    times: vhtlcTimes(p, now, { payUntil, normalUntil: payoutOver(source.vhtlc.refundLocktime, t.policy) }),
    refund: vhtlcRefund(p, now, p.proof !== null),
    transactions: vhtlcMoves(p),
    reason: declined === null ? null : 'refund-declined',
    detail: declined,
  };
}
