import { furthest, unix, type Clocks } from '../../domain/time.ts';
import { revealMargin } from '../../legs/timelocks.ts';
import { evmSide } from '../evm/facts.ts';
import { bitcoinSide, type Facts, type Moved } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import { payVhtlc, vhtlcMoves, vhtlcRefund, vhtlcTimes } from '../vhtlc-source/facts.ts';
import type { TakeArkadeEvmProgress, TakeArkadeEvmTerms } from './terms.ts';

type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;
type Agreed = Exclude<P, { readonly at: 'creating' | 'refused' }>;

function refundOf(p: Agreed, now: Clocks): Facts['refund'] {
  return p.at === 'claiming' || p.at === 'claimed'
    ? { state: 'none', from: null, why: 'spent' }
    : vhtlcRefund(p, now, p.claimTxid !== null || p.proof !== null);
}

function movedBy({ chain: network }: T, p: Agreed): Moved[] {
  const claim = p.claimTxid ?? (p.at === 'claiming' ? p.sent : null);
  return vhtlcMoves(p, [
    ...(p.lockTxid === null ? [] : [{ what: 'lock', network, txid: p.lockTxid, whose: 'provider' } as const]),
    ...(claim === null ? [] : [{ what: 'claim', network, txid: claim, whose: 'you' } as const]),
  ]);
}

export function arkadeEvmFacts(t: T, p: P, now: Clocks): Facts {
  const give = bitcoinSide('arkade', t.sourceAmount);
  if (p.at === 'creating' || p.at === 'refused')
    return openingFacts(p, { give, get: evmSide(t, t.targetAmount) }, furthest(now.bitcoin).mtp);
  const { target } = p.deal;
  const declined = p.at === 'funded' ? p.declined : null;
  return {
    give,
    get: evmSide(t, target.amount),
    pay: p.at === 'waiting' ? payVhtlc(p, null) : null,
    // Our claim ends with the provider's lock, by the clock of its chain.
    times: vhtlcTimes(p, now, {
      payUntil: null,
      normalUntil: unix(Number(target.lock.timelock) - revealMargin(t.policy)),
    }),
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
