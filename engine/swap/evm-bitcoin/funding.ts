import type { Clocks } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import { safeToFundForLock } from '../../legs/safety/lock.ts';
import { whenBacking } from '../evm-source/claiming.ts';
import { whileWaiting } from '../evm-source/funding.ts';
import { depositedOf, givenBack, timelockOf, type Deposited, type Pending, type Seen } from '../evm-source/terms.ts';
import { isFact } from '../halves/half.ts';
import { move, type Event, type Outcome } from '../machine.ts';
import { fundEffect, sendEffect } from '../onchain-target/effects.ts';
import { sameCoin } from '../onchain-target/seen.ts';
import type { Placed } from '../onchain-target/terms.ts';
import { standing } from './coin.ts';
import { doubted } from './sending.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

type P = EvmBitcoinProgress;
type T = EvmBitcoinTerms;

/** Waiting for the client's lock; funds against the right one as soon as it is buried and safe to fund against. */
export function whileFunding(t: T, p: Pending | Seen, event: Event, now: Clocks): Outcome<P> {
  const { network, confirmations, htlc, policy } = t;
  const timelock = timelockOf(t);
  const told = whileWaiting(t, p, event, now);
  if (!isFact(told)) return told;
  const { sure, sight: depth, waits } = told;
  const unsafe = safeToFundForLock(
    { network, depth, confirmations, timelock, htlcRefundLocktime: htlc.refundLocktime },
    now,
    policy,
  );
  if (unsafe === null) return move<P>({ at: 'funded', ...sure }, fundEffect(t));
  if (unsafe.unsafe === 'never') return move<P>(givenBack('late', unsafe.sentence, sure));
  return waits === null ? 'stay' : move<P>(waits);
}

/** The lock is buried, and nothing of ours is signed yet. */
export function whenFunded(t: T, p: P & { at: 'funded' }, event: Event): Outcome<P> {
  switch (event.is) {
    case 'htlc.prepared': {
      if (p.other === true) return 'stay';
      const { payment, output, height } = event;
      const funding = { payment, height };
      const placed: Placed = { output, funding, buried: false };
      return move<P>({ at: 'funding', ...depositedOf(p), ...placed }, sendEffect(t, funding, onlyIf(t, p)));
    }
    case 'htlc.refused':
      if (event.unsure === true)
        return event.output === undefined
          ? doubted(t, p, null, event.reason)
          : move<P>({ at: 'locked', ...depositedOf(p), output: event.output, funding: null, buried: true });
      return move<P>(givenBack('wont', event.reason, p));
    case 'htlc.seen':
      return whenOtherSeen(t, p, event);
    default:
      return whenBacking(t, p, event);
  }
}

/**
 * A coin of the amount at our own script: a funding of ours that a restored database forgot, or a gift. Mined it is the swap's coin; while
 * it is not, nothing is funded beside it, and nobody is told of it, for it may still be replaced (facts/faults.md 5, 12). Until no time is left
 * to fund anything: whoever lets it wait gets no liquidity kept for it, and no refund signed, for it may be ours.
 */
function whenOtherSeen(t: T, p: P & { at: 'funded' }, event: Event & { is: 'htlc.seen' }): Outcome<P> {
  const coin = sameCoin(t, event);
  if (coin === null) return p.other === true ? move<P>({ at: 'funded', ...depositedOf(p) }, fundEffect(t)) : 'stay';
  if (coin.height === null && event.mtp > t.lockBefore)
    return {
      progress: {
        ...givenBack('wont', 'another coin waits at our script, and too little time is left to fund it', p),
        doubt: { deposit: p.deposit, placed: { output: coin.outpoint, funding: null, buried: true } },
      },
      effects: [],
      supersedes: true,
    };
  if (coin.height === null) return p.other === true ? 'stay' : { ...move<P>({ ...p, other: true }), interrupts: true };
  const placed: Placed = { output: coin.outpoint, funding: null, buried: true };
  return { ...standing(t, { ...depositedOf(p), ...placed }, event), interrupts: true };
}

function onlyIf(t: T, { deposit: { lock, txid } }: Deposited): OnlyIf {
  return {
    notAfter: t.lockBefore,
    escrow: {
      network: t.network,
      htlc: t.contracts.htlc,
      lock,
      txid,
      confirmations: t.confirmations,
      agreed: t.agreed,
      htlcRefundLocktime: t.htlc.refundLocktime,
      policy: t.policy,
    },
  };
}
