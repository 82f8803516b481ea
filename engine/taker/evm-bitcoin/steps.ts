import { claimLine } from '../../legs/onchain/timelocks.ts';
import { timelockOf } from '../evm-source/terms.ts';
import { going, over, type TurnView } from '../facts.ts';
import { closedBy, create, refunding, shutUntil, signing, takenBack, unpaidSteps, unsigned } from '../steps.ts';
import { payerIsOut } from '../vhtlc-source/terms.ts';
import { windowOf, type TakeEvmBitcoinProgress, type TakeEvmBitcoinTerms } from './terms.ts';

type T = TakeEvmBitcoinTerms;
type P = TakeEvmBitcoinProgress;

const begin = [
  create,
  { step: 'pay', reachedBy: ['funding', 'locked'] },
  { step: 'confirm', reachedBy: ['locked', 'claiming'] },
] as const;
const arrives = [
  ...begin,
  { step: 'lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'confirm-lock', reachedBy: ['claiming', 'claimed'] },
  { step: 'claim', reachedBy: ['claimed'] },
  { step: 'finished', reachedBy: ['claimed'] },
] as const;
const back = takenBack(begin, 'refunded');
const closed = closedBy('lapsed', 'refused', 'lost');

/**
 * Whose turn it is and what comes after. What we bought is ours once its claim is buried, whatever the provider does
 * then.
 */
export function evmBitcoinSteps(p: P, t: T): TurnView {
  switch (p.at) {
    case 'creating':
    case 'refused':
    case 'lapsed':
      return unpaidSteps(p, t, arrives, closed);
    case 'claimed':
      return over('finished', arrives);
    case 'refunded':
      return over('returned', back);
    case 'lost':
      return over('lost', closed);
    case 'waiting':
      if (p.cancelled === true) return shutUntil(p.signedUntil ?? timelockOf(p), closed);
      return going('pay', { who: 'you', step: 'pay', until: windowOf(t).pay }, arrives);
    case 'funding':
      return going(
        'wait',
        { who: p.by === 'provider' ? 'provider' : 'node', step: 'confirm', until: p.signedUntil },
        arrives,
      );
    case 'locked':
      return locked(p, t);
    case 'claiming':
      return going('claim', { who: 'node', step: 'claim', until: p.deal.target.htlc.refundLocktime }, arrives);
    case 'asking':
      return signing(timelockOf(p), back);
    case 'refunding':
      return refunding(back);
  }
}

function locked(p: P & { at: 'locked' }, t: T): TurnView {
  const until = timelockOf(p);
  const claimBefore = claimLine(p.deal.target.htlc.refundLocktime, t.policy);
  if (p.takenBy !== null) return going('claim', { who: 'node', step: 'claim', until: claimBefore }, arrives);
  if (p.declined !== null || p.relayed || p.takenBack || p.unsafe !== null) return unsigned(until, back);
  if (payerIsOut.has(p.said)) return signing(until, back);
  return p.coin === null
    ? going('wait', { who: 'provider', step: 'lock', until: claimBefore }, arrives)
    : going('wait', { who: 'nobody', step: 'confirm-lock', until: claimBefore }, arrives);
}
