import type { Clocks } from '../../domain/time.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import { claimLine } from '../../legs/onchain/timelocks.ts';
import { refundOpens } from '../../legs/timelocks.ts';
import { evmSide } from '../evm/facts.ts';
import { lockMoves, lockPaid, lockRefund, notLocked, payToAccount } from '../evm-source/facts.ts';
import { timelockOf } from '../evm-source/terms.ts';
import { bitcoinSide, noTimes, signedAs, type Facts, type Moved, type Times } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import { windowOf, type TakeEvmBitcoinProgress, type TakeEvmBitcoinTerms } from './terms.ts';

type T = TakeEvmBitcoinTerms;
type P = TakeEvmBitcoinProgress;
type Agreed = Exclude<P, { readonly at: 'creating' | 'refused' }>;

/**
 * Our claim ends with the provider's refund, by median time past; our own refund opens by the clock of the EVM chain.
 */
function timesOf(t: T, p: Agreed, now: Clocks): Times {
  const { refundLocktime } = p.deal.target.htlc;
  const normalUntil = claimLine(refundLocktime, t.policy);
  // Once the provider took ours, it is its coin that can be lost, whether or not our claim was begun.
  const exposed = p.at === 'claiming' || (p.at === 'locked' && p.takenBy !== null);
  return {
    ...noTimes,
    now: evmTime(now, t.chain),
    payUntil: windowOf(t).pay,
    normalUntil,
    refundAloneFrom: timelockOf(p),
    dangerFrom: exposed ? normalUntil : null,
    last: exposed ? refundOpens(refundLocktime) : null,
  };
}

function refundOf(t: T, p: Agreed, now: Clocks): Facts['refund'] {
  const spent = { state: 'none', from: null, why: 'spent' } as const;
  if (p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost') return spent;
  if (p.takenBy !== null) return spent;
  const stands = lockRefund(t, p, now);
  // While its own coin is there the provider signs nothing: to be asked is to be declined.
  const isLocked = p.at === 'locked' && p.coin !== null && !p.takenBack;
  return isLocked && stands.why === 'in-progress' ? { ...stands, state: 'later', why: 'provider-locked' } : stands;
}

function movedBy(t: T, p: Agreed): Moved[] {
  const signed = p.at === 'claiming' ? (p.spends.at(-1) ?? null) : null;
  return lockMoves(t, p, [
    ...(p.coin === null
      ? []
      : [{ what: 'lock', network: 'bitcoin', txid: p.coin.outpoint.txid, whose: 'provider' } as const]),
    ...(p.claimTxid === null
      ? signedAs('claim', 'bitcoin', signed)
      : [{ what: 'claim', network: 'bitcoin', txid: p.claimTxid, whose: 'you' } as const]),
    ...(p.takenBy === null ? [] : [{ what: 'claim', network: t.chain, txid: p.takenBy, whose: 'provider' } as const]),
  ]);
}

function reasonOf(p: Agreed): Pick<Facts, 'reason' | 'detail'> {
  const lies = p.at === 'waiting' ? notLocked(p) : null;
  if (lies !== null && lies.reason !== null) return lies;
  if (p.takenBack) return { reason: 'taken-back', detail: null };
  if (p.at !== 'locked') return { reason: null, detail: null };
  if (p.declined !== null) return { reason: 'refund-declined', detail: p.declined };
  return { reason: p.unsafe === null ? null : 'lock-unsafe', detail: p.unsafe };
}

export function evmBitcoinFacts(t: T, p: P, now: Clocks): Facts {
  const get = bitcoinSide('bitcoin', t.targetAmount);
  const to = { own: true, text: null };
  if (p.at === 'creating' || p.at === 'refused')
    return openingFacts(p, { give: evmSide(t, t.sourceAmount), get, to }, evmTime(now, t.chain));
  return {
    give: evmSide(t, p.deal.source.amount),
    get,
    to,
    paid: lockPaid(t, p, now, p.takenBy !== null || p.at === 'lost'),
    pay: p.at === 'waiting' ? payToAccount(t, p, windowOf(t).pay) : null,
    times: timesOf(t, p, now),
    refund: refundOf(t, p, now),
    transactions: movedBy(t, p),
    ...reasonOf(p),
  };
}
