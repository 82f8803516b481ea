import { chainIdOf } from '../../domain/chain.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { after, minute, seconds, unix, type Clocks, type Unix } from '../../domain/time.ts';
import { checksummed } from '../../legs/evm/address.ts';
import type { EvmPurpose } from '../../legs/evm/acts.ts';
import type { TakerFunding } from '../../legs/evm/taker-acts.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import { move, type Effect, type Event, type Machine, type Outcome, type Watch } from '../../swap/machine.ts';
import { clientMachine, repeated, whilePaid } from '../client.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import { leastTimeToPay } from '../verify.ts';
import { hasRested, timelockOf, whenAsking, whenLocked, whenLockSeen, whenRefunding } from './locked.ts';
import { rescue } from './rescue.ts';
import { shape } from './shape.ts';
import { evmLightningSteps } from './steps.ts';
import { dealtOf, type Dealt, type TakeEvmLightningProgress, type TakeEvmLightningTerms } from './terms.ts';
import { verifyEvmLightning } from './verify.ts';

/**
 * The client's half of an EVM chain to Lightning: tokens of our account are locked by our signature, the provider pays the
 * invoice and takes the lock with the preimage that proves it. What it does not take comes back: with its signature when it
 * is out of the swap, alone from the timelock on.
 *
 * Loses money when wrong: a lock of other terms than those that were verified; a second one for the same swap; one that
 * nobody takes back.
 */
type T = TakeEvmLightningTerms;
type P = TakeEvmLightningProgress;

/** How long a signature lets the tokens be locked, and a failed try is left alone. */
const signedFor = seconds(20 * minute);
const pause = minute;

export function takeEvmLightningEffects(t: T): Effect[] {
  const body = {
    evm_chain_id: chainIdOf(t.chain),
    token_address: checksummed(t.pegged.address),
    user_address: checksummed(t.account),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
    gasless: t.gasless,
  };
  return createAt(t, 'evm-lightning', body);
}

/** The moment until which tokens are still locked for the invoice. */
export function payableUntil({ deal }: Dealt): Unix {
  return unix(deal.target.expiresAt - leastTimeToPay);
}

function whenWaiting(t: T, p: P & { at: 'waiting' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'evm.balance':
      return event.amount >= p.deal.source.amount ? fund(t, p, now) : 'stay';
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
    case 'clock':
      return now.wall >= payableUntil(p) && p.signedUntil === null ? move<P>({ at: 'lapsed', ...dealtOf(p) }) : 'stay';
    default:
      return 'stay';
  }
}

/** The nonce is that of the swap: Permit2 takes the tokens for it once, whoever sends the signature, and however often. */
function fundingOf(t: T, p: Dealt, until: Unix): TakerFunding {
  const { amount, ...lock } = p.deal.source.lock;
  const nonce = t.hash.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  return { lock, amount, nonce, deadline: BigInt(until), key: t.evmKey };
}

function fund(t: T, p: P & { at: 'waiting' }, now: Clocks): Outcome<P> {
  const time = evmTime(now, t.chain);
  const isLate = now.wall >= payableUntil(p) || p.said !== 'pending';
  if (time === null || isLate || !hasRested(p.notBefore, now)) return 'stay';
  const until = after(time, signedFor);
  const by = t.gasless ? 'provider' : 'node';
  return move<P>(
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

function whenFunding(t: T, p: P & { at: 'funding' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'provider.declined':
      return p.by === 'provider' ? move<P>({ ...p, by: 'node' }, byNode(t, p, p.signedUntil)) : 'stay';
    case 'evm.prepared':
      return event.purpose === 'relay-fund' ? move<P>({ ...p, sent: event.txid }) : 'stay';
    case 'evm.refused':
      return fundingPurposes.has(event.purpose) && p.sent === null ? again(p, event.reason, now) : 'stay';
    case 'evm.sent': {
      const over = event.state.is === 'gone' || (event.state.is === 'mined' && !event.state.ok);
      return event.txid === p.sent && over ? again(p, 'the transaction failed on the chain', now) : 'stay';
    }
    case 'provider.seen':
      return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
    case 'clock': {
      // From here on nobody can lock by our signature any more.
      const time = evmTime(now, t.chain);
      return time !== null && time > p.signedUntil ? again(p, 'nobody locked the tokens in time', now) : 'stay';
    }
    default:
      return 'stay';
  }
}

function again(p: Dealt, declined: string, now: Clocks): Outcome<P> {
  return {
    progress: { at: 'waiting', notBefore: after(now.wall, pause), declined, ...dealtOf(p) },
    effects: [],
    supersedes: true,
  };
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  switch (p.at) {
    case 'creating':
      return whenCreating(t, event, now, {
        verify: (record) => verifyEvmLightning(record, t, now),
        begin: (deal): P => ({
          at: 'waiting',
          deal,
          said: 'pending',
          made: null,
          signedUntil: null,
          notBefore: null,
          declined: null,
        }),
      });
    case 'refused':
    case 'paid':
    case 'refunded':
    case 'lapsed':
      return 'stay';
    default:
      if (event.is === 'evm.seen') return whenLockSeen(t, p, event, now);
  }
  switch (p.at) {
    case 'waiting':
      return whenWaiting(t, p, event, now);
    case 'funding':
      return whenFunding(t, p, event, now);
    case 'locked':
      return whenLocked(t, p, event, now);
    case 'asking':
      return whenAsking(t, p, event, now);
    case 'refunding':
      return whenRefunding(p, event);
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'creating' || over.has(p.at) || !('deal' in p)) return [];
  const { source, swapId } = p.deal;
  const lock: Watch = {
    on: 'evm-lock',
    network: t.chain,
    htlc: source.contracts.htlc,
    coordinator: source.contracts.coordinator,
    hash: t.hash,
    parties: [source.lock.claimAddress],
    since: t.since,
  };
  const provider: Watch = { on: 'provider', provider: t.provider, swapId };
  const sent = (purpose: 'relay-fund' | 'taker-refund', txid: string | null): Watch[] =>
    txid === null ? [] : [{ on: 'evm-sent', network: t.chain, purpose, txid }];
  switch (p.at) {
    case 'waiting':
      return [lock, provider, { on: 'evm-balance', network: t.chain, token: source.lock.token, account: t.account }];
    case 'funding':
      return [lock, provider, ...sent('relay-fund', p.sent)];
    case 'refunding':
      return [lock, ...sent('taker-refund', p.sent)];
    default:
      return [lock, provider];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'waiting':
      return payableUntil(p);
    case 'funding':
      return after(p.signedUntil, seconds(1));
    case 'locked':
    case 'asking':
      return timelockOf(p);
    default:
      return null;
  }
}

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'creating':
    case 'waiting':
    case 'refused':
    case 'lapsed':
      return unpaidStatus(p);
    case 'funding':
      return 'clientfundingseen';
    case 'locked':
    case 'asking':
    case 'refunding':
      return repeated(p.said, whilePaid);
    case 'paid':
      return 'serverredeemed';
    case 'refunded':
      return 'clientrefunded';
  }
}

const over: ReadonlySet<P['at']> = new Set(['refused', 'paid', 'refunded', 'lapsed']);

export const takeEvmLightning: Machine<T, P> = clientMachine(
  { name: 'take-evm-lightning', shape, step, watches, deadline, status, open: (_, p) => !over.has(p.at), rescue },
  evmLightningSteps,
);
