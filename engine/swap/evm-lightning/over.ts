import { btc } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import { claimEffect } from '../evm-source/claiming.ts';
import * as source from '../evm-source/over.ts';
import { baseOf, isKey, type Deposit, type Deposited } from '../evm-source/terms.ts';
import type { Event, Outcome } from '../machine.ts';
import { lateOf, routingCost, whenLate, type Settled } from '../payment.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

type P = EvmLightningProgress;
type T = EvmLightningTerms;

/** The swap will not be paid: its locks are watched, and given back on request. */
export function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'payment.seen')
    return whenLate<P & { at: 'stopped' }, P>(t, p, { state: event.state, now }, (settled) =>
      lateSettlement(t, p, settled),
    );
  // What is in flight may settle: no refund is signed that was not signed before.
  if (event.is === 'evm-refund.requested' && p.late === 'in-flight' && !p.fenced) return 'stay';
  const outcome = source.whenStopped(t, p, event, now);
  if (outcome === 'stay') return outcome;
  if (outcome.progress.at === 'lapsed')
    return p.late === undefined ? { ...outcome, progress: outcome.progress } : 'stay';
  return { ...outcome, progress: { ...outcome.progress, ...lateOf(p) } };
}

/** The client has its locks back; a payment that was called off may still come. */
export function whenRefunded(t: T, p: P & { at: 'refunded' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'payment.seen')
    return p.late === undefined
      ? 'stay'
      : whenLate<P & { at: 'refunded' }, P>(t, p, { state: event.state, now }, (settled) =>
          lateSettlement(t, p, settled),
        );
  return source.whenOver(t, p, event, now);
}

/** A payment that was called off was made all the same. */
function lateSettlement(t: T, p: P & { at: 'stopped' | 'refunded' }, settled: Settled): Outcome<P> {
  const { preimage } = settled;
  const own = lateLock(t, p);
  if (own === null) {
    const { late, ...rest } = p;
    return {
      progress: late === undefined ? p : rest,
      effects: [],
      learned: preimage,
      flag: 'A payment that had failed settled after all, and the client’s lock is refunded or may be.',
      ...(late === undefined
        ? {}
        : { ledger: [routingCost(settled), { kind: 'loss', ...btc('lightning', -t.targetAmount) }] }),
    };
  }
  const { lock, key, txid, depositor } = own;
  const deposit = { lock, key, txid, depositor };
  const deposited: Deposited = { ...baseOf(p), deposit, strays: p.strays.filter((stray) => !isKey(key)(stray)) };
  return {
    progress: { at: 'claiming', claimTxid: null, ...deposited },
    effects: [claimEffect(t, deposited)],
    learned: preimage,
    ledger: [routingCost(settled)],
    flag: 'A payment that had failed settled after all.',
  };
}

/**
 * What a payment that settles late is taken for: the lock that was counted, else any that was made as agreed (facts/faults.md 65). None once
 * we signed a refund of what was counted: the client holds our consent, which closed the claim for good, and a person has to look.
 */
export function lateLock(t: T, p: P & { at: 'stopped' | 'refunded' }): Deposit | null {
  if (p.at === 'refunded' || p.fenced) return null;
  const { counted, strays } = p;
  // One that is not listed is gone with its block, and may come again with another.
  if (counted !== undefined && strays.find(isKey(counted.key))?.taken !== true) return counted;
  return strays.find(({ taken, lock }) => !taken && lock.amount >= t.least) ?? null;
}
