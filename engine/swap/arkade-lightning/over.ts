import { btc, noSats } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import type { Event, Outcome } from '../machine.ts';
import { lateOf, routingCost, whenLate, type Settled } from '../payment.ts';
import type { Stray } from '../source.ts';
import { claimEffect } from '../vhtlc-source/claiming.ts';
import * as source from '../vhtlc-source/over.ts';
import type { Funded } from '../vhtlc-source/terms.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

/** The swap will not be paid: its coins are watched, and their refund is signed. */
export function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'payment.seen')
    return whenLate<P & { at: 'stopped' }, P>(t, p, { state: event.state, now }, (settled) =>
      lateSettlement(t, p, settled),
    );
  // What is in flight may settle: nobody gets a refund signed that did not have it before.
  if (event.is === 'refund.cosign.requested' && p.late === 'in-flight' && !p.fenced) return 'stay';
  const outcome = source.whenStopped(t, p, event, now);
  // What is left as it was is nothing new: a client asking again writes no line (facts/faults.md 53).
  return outcome === 'stay' || outcome.progress === p || outcome.progress.at === 'lapsed'
    ? outcome
    : { ...outcome, progress: { ...outcome.progress, ...lateOf(p) } };
}

/** The client has its coins back; a payment that was called off may still come. */
export function whenRefunded(t: T, p: P & { at: 'refunded' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'payment.seen')
    return p.late === undefined
      ? 'stay'
      : whenLate<P & { at: 'refunded' }, P>(t, p, { state: event.state, now }, (settled) =>
          lateSettlement(t, p, settled),
        );
  return source.whenRefunded(t, p, event, now);
}

/** A payment that was called off was made all the same. */
function lateSettlement(t: T, p: P & { at: 'stopped' | 'refunded' }, settled: Settled): Outcome<P> {
  const { preimage } = settled;
  const coin = p.strays
    .filter((stray) => !stray.spent)
    .reduce<Stray | null>((most, stray) => (most === null || stray.amount > most.amount ? stray : most), null);
  // The client holds our signature on its refund, which closed the claim for good: a person has to look.
  if (coin === null || p.at === 'refunded' || p.fenced) {
    const { late, ...rest } = p;
    return {
      progress: late === undefined ? p : rest,
      effects: [],
      learned: preimage,
      flag: 'A payment that had failed settled after all, and the VHTLC is refunded or may be.',
      ...(late === undefined
        ? {}
        : {
            ledger: [routingCost(settled), { kind: 'loss', ...btc('arkade', -t.targetAmount) }],
          }),
    };
  }
  const funded: Funded = { coin: coin.outpoint, surplus: noSats, strays: p.strays.filter((stray) => stray !== coin) };
  return {
    progress: { at: 'claiming', claimTxid: null, ...funded },
    effects: [claimEffect(t, funded)],
    learned: preimage,
    ledger: [routingCost(settled)],
    flag: 'A payment that had failed settled after all.',
  };
}
