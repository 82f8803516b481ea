import { furthest, unix, type Clocks } from '../../domain/time.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import { refundOpens, revealMargin } from '../../legs/timelocks.ts';
import { evmSide, tokenSide } from '../evm/facts.ts';
import { bitcoinSide, noTimes, signedAs, type Facts, type Moved, type Side, type Sides, type Times } from '../facts.ts';
import { openingFacts } from '../opening.ts';
import { payVhtlc, vhtlcMoves, vhtlcPaid, vhtlcRefund, vhtlcTimes } from '../vhtlc-source/facts.ts';
import { payableUntil, type TakeArkadeEvmProgress, type TakeArkadeEvmTerms } from './terms.ts';

type T = TakeArkadeEvmTerms;
type P = TakeArkadeEvmProgress;
type Agreed = Exclude<P, { readonly at: 'creating' | 'refused' }>;

function refundOf(p: Agreed, now: Clocks): Facts['refund'] {
  return p.at === 'claiming' || p.at === 'claimed'
    ? { state: 'none', from: null, why: 'spent' }
    : vhtlcRefund(p, now, p.claimTxid !== null || p.proof !== null);
}

function movedBy({ chain: network }: T, p: Agreed): Moved[] {
  const signed = p.at === 'claiming' ? p.sent : null;
  return vhtlcMoves(p, [
    ...(p.lockTxid === null ? [] : [{ what: 'lock', network, txid: p.lockTxid, whose: 'provider' } as const]),
    ...(p.claimTxid === null
      ? signedAs('claim', network, signed)
      : [{ what: 'claim', network, txid: p.claimTxid, whose: 'you' } as const]),
  ]);
}

/** What comes out: expected, and once the chain has told, what did. */
function gets(t: T, p: P): Side {
  const { exchange } = t;
  const amount = 'deal' in p ? p.deal.target.amount : t.targetAmount;
  if (exchange === undefined) return evmSide(t, amount);
  const arrived = 'arrived' in p ? p.arrived : undefined;
  if (arrived === undefined) return { ...tokenSide(t.chain, exchange.token, t.targetAmount), least: exchange.least };
  return arrived.wanted === 0n ? evmSide(t, arrived.locked) : tokenSide(t.chain, exchange.token, arrived.wanted);
}

/**
 * Our claim ends with the provider's lock, by the clock of its chain. While we claim, that lock is what can be lost:
 * our coins are the provider's by then.
 */
function timesOf(t: T, p: Agreed, now: Clocks): Times {
  const { source, target } = p.deal;
  const timelock = unix(Number(target.lock.timelock));
  const own = { payUntil: payableUntil(t), normalUntil: unix(timelock - revealMargin(t.policy)) };
  if (p.at !== 'claiming') return vhtlcTimes(p, now, own);
  return {
    ...noTimes,
    ...own,
    now: evmTime(now, t.chain),
    refundAloneFrom: refundOpens(source.vhtlc.refundLocktime),
    dangerFrom: own.normalUntil,
    last: timelock,
  };
}

/** Why it waits or ended as it did; the lock's own trouble before that of the price. */
function reasonOf(p: Agreed): Pick<Facts, 'reason' | 'detail'> {
  const declined = p.at === 'funded' ? p.declined : null;
  const unsafe = p.at === 'funded' ? p.unsafe : null;
  const isWaiting = p.price !== undefined && p.claimTxid === null && (p.at === 'funded' || p.at === 'claiming');
  const { arrived } = p;
  if (p.takenBack) return { reason: 'taken-back', detail: declined };
  if (declined !== null) return { reason: 'refund-declined', detail: declined };
  if (unsafe !== null) return { reason: 'lock-unsafe', detail: unsafe };
  if (isWaiting) return { reason: 'price-away', detail: p.price?.reason ?? null };
  return arrived?.wanted === 0n ? { reason: 'not-exchanged', detail: null } : { reason: null, detail: null };
}

export function arkadeEvmFacts(t: T, p: P, now: Clocks): Facts {
  const sides: Sides = {
    give: bitcoinSide('arkade', t.sourceAmount),
    get: gets(t, p),
    to: { own: false, text: checksummed(t.destination) },
  };
  if (p.at === 'creating' || p.at === 'refused') return openingFacts(p, sides, furthest(now.bitcoin).mtp);
  return {
    ...sides,
    paid: vhtlcPaid(p),
    pay: p.at === 'waiting' ? payVhtlc(p, payableUntil(t)) : null,
    times: timesOf(t, p, now),
    refund: refundOf(p, now),
    transactions: movedBy(t, p),
    ...reasonOf(p),
  };
}
