import type { StillBacking, StillBackingCoin, StillClaimable, StillLocked } from '../../../legs/arkade/conditions.ts';
import { safeToFundForVhtlc, safeToLockOnEvm } from '../../../legs/safety/lock.ts';
import { safeToPay } from '../../../legs/safety/pay.ts';
import { safeToReveal } from '../../../legs/safety/reveal.ts';
import type { Safety } from '../../../legs/safety/verdict.ts';
import type { Clock } from '../../clock.ts';
import { arkadeOf, type Ports } from '../../ports.ts';
import { coinNow } from './coin.ts';

interface Asks {
  readonly ports: Pick<Ports, 'arkade'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Whether the client's coin still stands for long enough to pay for it. */
export async function judgeCoin(facts: StillLocked, { ports, clock }: Asks, maxTimeoutHeight: number): Promise<Safety> {
  const coin = await coinNow(arkadeOf(ports), facts.script, facts.outpoint);
  const { sourceAmount, refundLocktime, finalCltv, invoiceExpiresAt, policy } = facts;
  return safeToPay(
    { coin, sourceAmount, refundLocktime, maxTimeoutHeight, finalCltv, invoiceExpiresAt },
    clock.now(),
    policy,
  );
}

/** Whether the client's coin still stands for long enough to lock against it on an EVM chain. */
export async function judgeBacking(facts: StillBacking, { ports, clock }: Asks): Promise<Safety> {
  const coin = await coinNow(arkadeOf(ports), facts.script, facts.outpoint);
  return safeToLockOnEvm({ ...facts, coin }, clock.now(), facts.policy);
}

/** The same of an HTLC of ours on the Bitcoin chain, which ends at a height. */
export async function judgeBackingForCoin(facts: StillBackingCoin, { ports, clock }: Asks): Promise<Safety> {
  const coin = await coinNow(arkadeOf(ports), facts.script, facts.outpoint);
  return safeToFundForVhtlc({ ...facts, coin }, clock.now(), facts.policy);
}

/** Whether a coin is still ours for long enough to show its preimage. */
export async function judgeReveal(facts: StillClaimable, { ports, clock }: Asks): Promise<Safety> {
  const coin = await coinNow(arkadeOf(ports), facts.script, facts.outpoint);
  const { targetAmount, refundLocktime, policy } = facts;
  return safeToReveal({ coin, targetAmount, refundLocktime }, clock.now(), policy);
}
