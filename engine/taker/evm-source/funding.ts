import { after, minute, seconds, type Clocks, type Unix } from '../../domain/time.ts';
import type { EvmPurpose } from '../../legs/evm/acts.ts';
import type { TakerFunding } from '../../legs/evm/taker-acts.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import { move, type Effect, type Event, type Outcome } from '../../swap/machine.ts';
import { hasRested } from './locked.ts';
import {
  dealtOf,
  type Dealt,
  type EvmSourceProgress,
  type EvmSourceTerms,
  type SatsLeg,
  type Window,
} from './terms.ts';

type T = EvmSourceTerms;
type P<G extends SatsLeg> = EvmSourceProgress<G>;

/** How long a signature lets the tokens be locked, and a failed try is left alone. */
const signedFor = seconds(20 * minute);
const pause = minute;

export function whenWaiting<G extends SatsLeg>(
  t: T,
  p: P<G> & { at: 'waiting' },
  event: Event,
  now: Clocks,
  window: Window,
): Outcome<P<G>> {
  switch (event.is) {
    case 'evm.balance':
      return event.amount >= p.deal.source.amount ? fund(t, p, now, window) : 'stay';
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P<G>>({ ...p, said: event.status });
    case 'cancel.requested':
      return cancelled(p);
    case 'clock':
      return now.wall >= window.pay && p.signedUntil === null ? move<P<G>>({ at: 'lapsed', ...dealtOf(p) }) : 'stay';
    default:
      return 'stay';
  }
}

/**
 * Without a signature of ours nobody can lock anything: it is over. With one it is watched until that cannot be used
 * any more.
 */
function cancelled<G extends SatsLeg>(p: P<G> & { at: 'waiting' }): Outcome<P<G>> {
  if (p.cancelled === true) return 'stay';
  const unwanted = { ...dealtOf(p), cancelled: true as const };
  return p.signedUntil === null ? move<P<G>>({ at: 'lapsed', ...unwanted }) : move<P<G>>({ ...p, ...unwanted });
}

/**
 * The nonce is that of the swap: Permit2 takes the tokens for it once, whoever sends the signature, and however often.
 */
function fundingOf(t: T, p: Dealt, until: Unix): TakerFunding {
  const { amount, ...lock } = p.deal.source.lock;
  const nonce = t.hash.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  return { lock, amount, nonce, deadline: BigInt(until), key: t.evmKey };
}

function fund<G extends SatsLeg>(t: T, p: P<G> & { at: 'waiting' }, now: Clocks, window: Window): Outcome<P<G>> {
  const time = evmTime(now, t.chain);
  const isLate = now.wall >= window.pay || p.said !== 'pending' || p.cancelled === true;
  if (time === null || isLate || !hasRested(p.notBefore, now)) return 'stay';
  const until = after(time, signedFor);
  const by = t.gasless ? 'provider' : 'node';
  return move<P<G>>(
    { at: 'funding', by, sent: null, ...dealtOf(p), signedUntil: until },
    by === 'node' ? byNode(t, p, until) : byProvider(t, p, until),
  );
}

function byProvider(t: T, p: Dealt, until: Unix): Effect {
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

function byNode(t: T, p: Dealt, until: Unix): Effect {
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

export function whenFunding<G extends SatsLeg>(
  t: T,
  p: P<G> & { at: 'funding' },
  event: Event,
  now: Clocks,
): Outcome<P<G>> {
  switch (event.is) {
    case 'provider.declined':
      return p.by === 'provider' ? move<P<G>>({ ...p, by: 'node' }, byNode(t, p, p.signedUntil)) : 'stay';
    case 'evm.prepared':
      return event.purpose === 'relay-fund' ? move<P<G>>({ ...p, sent: event.txid }) : 'stay';
    case 'evm.refused':
      return fundingPurposes.has(event.purpose) && p.sent === null ? again(p, whyNot(event), now) : 'stay';
    case 'evm.sent': {
      const over = event.state.is === 'gone' || (event.state.is === 'mined' && !event.state.ok);
      return event.txid === p.sent && over ? again(p, 'the transaction failed on the chain', now) : 'stay';
    }
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P<G>>({ ...p, said: event.status });
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
 * What a contract says when it refuses is nobody's word for its owner; what the account lacks for an approval is ours.
 */
function whyNot({ purpose, reason }: Event & { is: 'evm.refused' }): string {
  return purpose === 'taker-approve' ? reason : 'the chain does not take the lock now';
}

function again<G extends SatsLeg>(p: Dealt<G>, declined: string, now: Clocks): Outcome<P<G>> {
  return {
    progress: { at: 'waiting', notBefore: after(now.wall, pause), declined, ...dealtOf(p) },
    effects: [],
    supersedes: true,
  };
}
