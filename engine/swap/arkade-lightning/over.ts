import { btc, msat, noSats } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import type { PaymentState } from '../../legs/lightning/port.ts';
import { blocksAfterTimeout } from '../../legs/timelocks.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import type { Stray } from '../source.ts';
import { claimEffect } from '../vhtlc-source/claiming.ts';
import * as source from '../vhtlc-source/over.ts';
import type { Funded } from '../vhtlc-source/terms.ts';
import { lateOf, type ArkadeLightningProgress, type ArkadeLightningTerms } from './terms.ts';

type P = ArkadeLightningProgress;
type T = ArkadeLightningTerms;

/** The swap will not be paid: its coins are watched, and their refund is signed. */
export function whenStopped(t: T, p: P & { at: 'stopped' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'payment.seen') return latePayment(t, p, event.state, now);
  // What is in flight may settle: nobody gets a refund signed that did not have it before.
  if (event.is === 'refund.cosign.requested' && p.late === 'in-flight' && !p.fenced) return 'stay';
  const outcome = source.whenStopped(t, p, event, now);
  return outcome === 'stay' || outcome.progress.at === 'lapsed'
    ? outcome
    : { ...outcome, progress: { ...outcome.progress, ...lateOf(p) } };
}

/** The client has its coins back; a payment that was called off may still come. */
export function whenRefunded(t: T, p: P & { at: 'refunded' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'payment.seen') return p.late === undefined ? 'stay' : latePayment(t, p, event.state, now);
  return source.whenRefunded(t, p, event, now);
}

/** No HTLC of the payment can be left, nor any block that resolves one be missing. */
export function timedOut(t: T, now: Clocks): boolean {
  return now.bitcoin.height !== null && now.bitcoin.height > t.maxTimeoutHeight + blocksAfterTimeout;
}

/**
 * The swap was called off, and a call that got no answer may start its payment all the same: watched until no HTLC of it
 * can be left (facts/faults.md 55).
 */
function latePayment(t: T, p: P & { at: 'stopped' | 'refunded' }, state: PaymentState, now: Clocks): Outcome<P> {
  if (state.is === 'settled') return lateSettlement(t, p, state);
  const { late, ...rest } = p;
  if (late === undefined) return 'stay';
  if (state.is === 'in-flight') return late === 'in-flight' ? 'stay' : move<P>({ ...p, late: 'in-flight' });
  if (timedOut(t, now)) return move<P>(rest);
  return state.is === 'failed' && late === 'in-flight' ? move<P>({ ...p, late: 'maybe' }) : 'stay';
}

function lateSettlement(
  t: T,
  p: P & { at: 'stopped' | 'refunded' },
  { preimage, feeMsat }: PaymentState & { is: 'settled' },
): Outcome<P> {
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
            ledger: [
              { kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) },
              { kind: 'loss', ...btc('arkade', -t.targetAmount) },
            ],
          }),
    };
  }
  const funded: Funded = { coin: coin.outpoint, surplus: noSats, strays: p.strays.filter((stray) => stray !== coin) };
  return {
    progress: { at: 'claiming', claimTxid: null, ...funded },
    effects: [claimEffect(t, funded)],
    learned: preimage,
    ledger: [{ kind: 'lightning-fee-paid', ...msat('lightning', -feeMsat) }],
    flag: 'A payment that had failed settled after all.',
  };
}
