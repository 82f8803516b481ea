import { after, minute, seconds, type Clocks, type Unix } from '../../../../domain/time.ts';
import type { EvmPurpose } from '../../../../legs/evm/acts.ts';
import { isOpenToClaimer } from '../../../../legs/evm/deployments.ts';
import { hasFailed } from '../../../../legs/evm/events.ts';
import type { TakerFunding } from '../../../../legs/evm/taker-acts.ts';
import { evmTime } from '../../../../legs/evm/timelocks.ts';
import { move, type Effect, type Event, type Outcome } from '../../../../swap/machine.ts';
import { hasRested } from './pause.ts';
import { baseOf, givenBy, type EvmFunding, type EvmFundTerms, type Base, type Stage } from './terms.ts';
import type { Window } from '../../fund.ts';
import { withLastWord } from './word.ts';

type T = EvmFundTerms;
type P = EvmFunding;

/** How long a signature lets the tokens be locked, and a failed try is left alone. */
const signedFor = seconds(20 * minute);
const pause = minute;

/**
 * Where the provider could take the lock without the secret nothing is signed, whenever the order was made
 * (facts/faults.md 344).
 */
export function whenWaiting(t: T, p: Stage<'waiting'>, event: Event, now: Clocks, window: Window): Outcome<P> {
  const isOpen = isOpenToClaimer(p.deal.source.contracts);
  if (isOpen && p.signedUntil === null) return move<P>({ at: 'lapsed', ...baseOf(p) });
  switch (event.is) {
    case 'evm.balance':
      return !isOpen && event.amount >= givenBy(t, p).amount ? fund(t, p, now, window) : 'stay';
    case 'provider.seen':
      return withLastWord(p, event.status);
    case 'cancel.requested':
      return cancelled(p);
    case 'clock':
      return now.wall >= window.pay && p.signedUntil === null ? move<P>({ at: 'lapsed', ...baseOf(p) }) : 'stay';
    default:
      return 'stay';
  }
}

/**
 * Without a signature of ours nobody can lock anything: it is over. With one it is watched until that cannot be used
 * any more; in a copy of the database there may have been one (facts/faults.md 230).
 */
function cancelled(p: Stage<'waiting'>): Outcome<P> {
  if (p.cancelled === true) return 'stay';
  const unwanted = { ...baseOf(p), cancelled: true as const };
  return p.signedUntil === null ? move<P>({ at: 'lapsed', ...unwanted }) : move<P>({ ...p, ...unwanted });
}

/**
 * The nonce is that of the swap: Permit2 takes the tokens for it once, whoever sends the signature, and however often.
 */
function fundingOf(t: T, p: Base, until: Unix): TakerFunding {
  const { amount, ...lock } = p.deal.source.lock;
  const nonce = t.hash.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  const funding = { lock, amount, nonce, deadline: BigInt(until), key: t.evmKey };
  if (t.spend === undefined) return funding;
  const { token, most, slippageBps } = t.spend;
  return { ...funding, spend: { token: token.address, most, slippageBps } };
}

function fund(t: T, p: Stage<'waiting'>, now: Clocks, window: Window): Outcome<P> {
  const time = evmTime(now, t.chain);
  const fundingIsOver = now.wall >= window.pay || p.said !== 'pending' || p.cancelled === true;
  if (time === null || fundingIsOver || !hasRested(p.notBefore, now)) return 'stay';
  const until = after(time, signedFor);
  const by = t.gasless ? 'provider' : 'node';
  return move<P>(
    { at: 'funding', by, sent: null, ...baseOf(p), signedUntil: until },
    by === 'node' ? byNode(t, p, until) : byProvider(t, p, until),
  );
}

/** The same signature as before, by whoever was to send it. */
export function fundingEffect(t: T, p: Stage<'funding'>): Effect {
  return p.by === 'node' ? byNode(t, p, p.signedUntil) : byProvider(t, p, p.signedUntil);
}

function byProvider(t: T, p: Base, until: Unix): Effect {
  const { swapId, source } = p.deal;
  const { network, contracts } = source;
  return {
    do: 'provider.fund-evm',
    provider: t.provider,
    swapId,
    network,
    contracts,
    funding: fundingOf(t, p, until),
    value: p.deal.target.amount,
  };
}

function byNode(t: T, p: Base, until: Unix): Effect {
  const { network, contracts } = p.deal.source;
  return {
    do: 'evm.send',
    network,
    contracts,
    act: { is: 'taker-fund', ...fundingOf(t, p, until) },
    deadline: until,
    value: p.deal.target.amount,
  };
}

/** What our account may send for the funding: the approval where the token needs one, and the lock. */
const fundingPurposes: ReadonlySet<string> = new Set<EvmPurpose>(['taker-approve', 'relay-fund']);

export function whenFunding(t: T, p: Stage<'funding'>, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'provider.declined':
      return p.by === 'provider' ? move<P>({ ...p, by: 'node' }, byNode(t, p, p.signedUntil)) : 'stay';
    case 'evm.prepared':
      return event.purpose === 'relay-fund' ? move<P>({ ...p, sent: event.txid }) : 'stay';
    case 'evm.refused':
      return fundingPurposes.has(event.purpose) && p.sent === null ? again(p, whyNot(event), now) : 'stay';
    case 'evm.sent':
      return event.txid === p.sent && hasFailed(event.state)
        ? again(p, 'the transaction failed on the chain', now)
        : 'stay';
    case 'provider.seen':
      return withLastWord(p, event.status);
    case 'clock': {
      // From here on nobody can lock by our signature any more.
      const time = evmTime(now, t.chain);
      return time !== null && time > p.signedUntil ? again(p, 'nobody locked the tokens in time', now) : 'stay';
    }
    default:
      return 'stay';
  }
}

/**
 * What a contract says when it refuses is nobody's word for its owner; what the account lacks for an approval, and what
 * our own exchange says, is ours.
 */
function whyNot({ purpose, reason, unpriced }: Event & { is: 'evm.refused' }): string {
  return purpose === 'taker-approve' || unpriced === true ? reason : 'the chain does not take the lock now';
}

function again(p: Base, declined: string, now: Clocks): Outcome<P> {
  return {
    progress: { at: 'waiting', notBefore: after(now.wall, pause), declined, ...baseOf(p) },
    effects: [],
    supersedes: true,
  };
}
