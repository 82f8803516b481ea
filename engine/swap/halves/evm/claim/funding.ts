import { lookedAfter, unix, type Clocks, type Unix } from '../../../../domain/time.ts';
import type { Answer } from '../../answer.ts';
import type { Sure } from '../../claim.ts';
import { move, type Event, type Outcome, type Step, type EventOf } from '../../../machine.ts';
import { depositOf, hasUntaken, rightLock, sameExtras, shortLock, locksBeside } from './locks.ts';
import { endOf, noted, sending } from './sent.ts';
import {
  baseOf,
  depositedOf,
  givenBack,
  stopped,
  timeOf,
  type EvmClaim,
  type EvmSourceTerms as T,
  type Pending,
  type Seen,
  type Stopped,
} from './terms.ts';

type Funding = Pending | Seen;

/**
 * Relays of one swap: each may cost gas, and a client whose funding reverts so often can send it itself
 * (facts/faults.md 57).
 */
const mostRelays = 3;

/** Waiting for the client's lock, by itself or by our relay. */
export function whileWaiting(t: T, p: Funding, event: Event, now: Clocks): Answer<Funding | Stopped, Sure<EvmClaim>> {
  switch (event.is) {
    case 'evm.seen':
      return whenLooked(t, p, event, now);
    case 'fund.requested':
      return p.at === 'pending' ? fundRequested(t, p, event, now) : 'stay';
    case 'clock':
      return p.at === 'seen' && timeOf(t, now) > t.payBefore ? move<Stopped>(givenBack('late', tooLate, p)) : 'stay';
    default:
      return whenRelayed<Funding>(p, event, now);
  }
}

/** Waiting for the client's lock: the right one is the swap's once it is buried, and none while it can still vanish. */
function whenLooked(
  t: T,
  p: Funding,
  event: EventOf<'evm.seen'>,
  now: Clocks,
): Answer<Funding | Stopped, Sure<EvmClaim>> {
  const lock = rightLock(t, event.locks, p.at === 'seen' ? p.deposit.key : null);
  const extras = locksBeside(t, event.locks, lock?.key ?? null);
  const stop = (...[why, reason]: [Stopped['why'], string]): Step<Stopped> =>
    move<Stopped>({
      ...stopped(why, reason, p, locksBeside(t, event.locks, null, lock?.key)),
      ...(lock === null ? {} : { counted: depositOf(lock) }),
    });
  const { relay, relays, refusal } = p;
  const vanished = p.vanished || (p.at === 'seen' && lock === null);
  const common = { ...baseOf(p), extras, relay, relays, refusal, vanished };
  if (lock === null) {
    const short = shortLock(t, event.locks);
    if (short !== null)
      return stop(
        'invalid',
        `the lock holds ${short.terms.amount}, ${t.least - short.terms.amount} less than the ${t.least} agreed`,
      );
    // Only a look says that nothing came, no clock: published clients never look again at a swap that is called
    // expired.
    if (event.asked >= t.fundBefore && !relaying(p, event.asked) && !(vanished && event.time <= t.payBefore))
      return hasUntaken(extras)
        ? stop('invalid', 'what was locked is not what was agreed')
        : stop('expired', 'nothing was locked in time');
    // What was there is gone with its block: it may come again.
    if (p.at === 'pending' && sameExtras(extras, p.extras)) return 'stay';
    return move<Funding>({ at: 'pending', ...common });
  }
  if (p.at === 'pending' && relay === null && !vanished && now.wall >= t.fundBefore)
    return stop('late', 'the lock came after the funding window');
  if (timeOf(t, now) > t.payBefore) return stop('late', tooLate);
  const seen: Seen = { at: 'seen', ...common, deposit: depositOf(lock) };
  if (lock.confirmations >= t.confirmations)
    return { fact: 'sure', sure: depositedOf(seen), sight: lock.confirmations, waits: p.at === 'seen' ? null : seen };
  const isKnown =
    p.at === 'seen' && p.deposit.txid === lock.txid && (p.deposit.paid === undefined) === (lock.paid === undefined);
  return isKnown && sameExtras(extras, p.extras) ? 'stay' : move<Funding>(seen);
}

/** What is said of a lock that was too slow. */
const tooLate = 'the lock was not buried in time to pay for it';

/** A relay of ours may still make the lock, or made it in a block that the look did not reach. */
function relaying({ relay }: Funding, lookedAt: Unix): boolean {
  return relay !== null && (relay.mined === null || !lookedAfter(relay.mined.heard, lookedAt));
}

/** The client wants its lock made by us: once, and again only where that came to nothing. */
function fundRequested(t: T, p: Pending, { permit, calls }: EventOf<'fund.requested'>, now: Clocks): Outcome<Pending> {
  if (p.relay !== null || p.vanished || p.relays >= mostRelays || now.wall >= t.fundBefore) return 'stay';
  const before = BigInt(t.payBefore);
  const deadline = unix(Number(permit.deadline < before ? permit.deadline : before));
  return move<Pending>(
    { ...p, relay: { txid: null, mined: null }, relays: p.relays + 1, refusal: null, given: permit.amount },
    {
      do: 'evm.send',
      network: t.network,
      contracts: t.contracts,
      act: { is: 'relay-fund', lock: t.lock, permit, calls },
      deadline,
      value: t.sourceAmount,
      onlyIf: { notAfter: t.fundBefore },
    },
  );
}

/** What becomes of the relay of a client's funding. */
function whenRelayed<P extends Funding>(p: P, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'evm.prepared':
      return event.purpose === 'relay-fund' && p.relay?.txid === null
        ? move<P>({ ...p, relay: { ...p.relay, txid: event.txid }, sent: sending(p, event.purpose, event.txid) })
        : 'stay';
    case 'evm.refused':
      return event.purpose === 'relay-fund' && p.relay?.txid === null ? move<P>(came(p, event.reason)) : 'stay';
    case 'evm.already-done':
      return event.purpose === 'relay-fund' && p.relay?.txid === null
        ? move<P>(came(p, 'the lock stands already'))
        : 'stay';
    case 'evm.sent':
      return relayEnded(p, event, now);
    default:
      return 'stay';
  }
}

function relayEnded<P extends Funding>(p: P, event: EventOf<'evm.sent'>, now: Clocks): Outcome<P> {
  const end = endOf(p, event);
  if (end === null) return noted(p, event);
  const { sent, by } = end;
  const next = { ...p, sent };
  const relay = p.relay === null || by === null ? null : { ...p.relay, mined: { by, heard: now.wall } };
  return move<P>(
    relay === null ? came(next, 'the transaction that was to fund the swap failed on the chain') : { ...next, relay },
  );
}

/** It came to nothing. */
function came<P extends Funding>(p: P, refusal: string): P {
  return { ...p, relay: null, refusal, given: null };
}
