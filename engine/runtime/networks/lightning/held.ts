import type { Sha256 } from '../../../domain/hash.ts';
import { furthest, type Clocks } from '../../../domain/time.ts';
import type { StillHeld, StillHeldForCoin, StillHeldForLock } from '../../../legs/lightning/conditions.ts';
import type { HoldState } from '../../../legs/lightning/port.ts';
import { safeToFinish } from '../../../legs/safety/give.ts';
import { safeToFundForHeld, safeToLock, safeToLockOnEvmForHeld } from '../../../legs/safety/lock.ts';
import type { Safety } from '../../../legs/safety/verdict.ts';
import { lightningOf } from '../../ports.ts';
import type { LightningContext } from './context.ts';
import { heightInStep } from './in-step.ts';

interface Asks {
  readonly ports: LightningContext['ports'];
  readonly clock: Pick<LightningContext['clock'], 'now'>;
}

/** Whether the payment of the other leg is still held for long enough to lock against it. */
export function judgeHeld({ hash, ...lock }: StillHeld, asks: Asks): Promise<Safety> {
  return judge(hash, (held, clocks) => safeToLock({ ...lock, held }, clocks, lock.policy), asks);
}

/** Whether it is held for long enough to finish a VHTLC that the operator has half. */
export function judgeHeldToFinish({ hash, ...lock }: StillHeld, asks: Asks): Promise<Safety> {
  return judge(hash, (held, clocks) => safeToLock({ ...lock, held }, clocks, lock.policy, safeToFinish), asks);
}

/** Whether it is held for long enough to lock on an EVM chain. */
export function judgeHold({ hash, ...lock }: StillHeldForLock, asks: Asks): Promise<Safety> {
  return judge(hash, (held, clocks) => safeToLockOnEvmForHeld({ ...lock, held }, clocks, lock.policy), asks);
}

/** The same for an HTLC of ours on the Bitcoin chain. */
export function judgeHeldForCoin({ hash, ...fund }: StillHeldForCoin, asks: Asks): Promise<Safety> {
  return judge(hash, (held, clocks) => safeToFundForHeld({ ...fund, held }, clocks, fund.policy), asks);
}

async function judge(
  hash: Sha256,
  safety: (held: HoldState & { is: 'held' }, clocks: Clocks) => Safety,
  asks: Asks,
): Promise<Safety> {
  const state = await lightningOf(asks.ports).hold(hash);
  if (state.is !== 'held') return { unsafe: 'never', sentence: `The payment is not held any more but ${state.is}.` };
  return safety(state, await asLightningSees(asks));
}

/**
 * The node that would cancel the held payment counts blocks by itself: a Bitcoin endpoint that fell behind must not
 * show more blocks left than there are (facts/faults.md 36).
 */
async function asLightningSees({ ports, clock }: Asks): Promise<Clocks> {
  const height = await heightInStep({ ports, clock });
  const now = clock.now();
  if (now.bitcoin.height === null) return now;
  const reading = furthest(now.bitcoin);
  return { ...now, bitcoin: { ...now.bitcoin, ahead: { ...reading, height: Math.max(reading.height ?? 0, height) } } };
}
