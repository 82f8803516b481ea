import { hasPassed, minute, seconds, unix, type Clocks, type Unix } from '../../../../domain/time.ts';
import { evmTime } from '../../../../legs/evm/timelocks.ts';
import { revealMargin } from '../../../../legs/timelocks.ts';
import type { EvmLeg } from '../../../evm/terms.ts';
import type { EvmClaimTerms, LockFacts, PriceWait } from './terms.ts';

/* A claim into another token waits for its exchange, and never so long that the lock is lost for a price. */

type T = EvmClaimTerms;
type By = PriceWait['by'];

/** Between two questions for the price of one swap. */
const pause = seconds(minute);
/** So many claims of ours that the chain refused are enough: each has cost its gas. */
const mostReverts = 3;

/**
 * From when on the token of the lock itself is claimed, by the clock of its chain (unix seconds): while the secret may
 * still leave us for as long again as a claim needs. Later, and the lock could be lost for want of a price.
 */
export function lockedTokenFrom({ lock }: EvmLeg, { policy }: Pick<T, 'policy'>): Unix {
  return unix(Math.max(0, Number(lock.timelock) - 2 * revealMargin(policy)));
}

/** Whether the claim brings another token than that of the lock now. */
export function isExchanged(t: T, leg: EvmLeg, p: LockFacts, now: Clocks): boolean {
  if (t.exchange === undefined || (p.price?.reverts ?? 0) >= mostReverts) return false;
  const time = evmTime(now, t.chain);
  return time === null || time < lockedTokenFrom(leg, t);
}

/** Whether it was tried a moment ago. */
export function isPaused({ price }: LockFacts, now: Clocks): boolean {
  return price !== undefined && !hasPassed(pause, price.since, now.wall);
}

/** Who is to try now: one after the other, for what keeps the one need not keep the other. */
export function nextBy(t: T, { price }: LockFacts): By {
  return t.gasless && price?.by !== 'provider' ? 'provider' : 'node';
}

/** It did not work now. Nothing of it is said where nothing is exchanged. */
export function waiting(t: T, p: LockFacts, now: Clocks, tried: Pick<PriceWait, 'by' | 'reason'>): LockFacts {
  const { price, ...rest } = p;
  if (t.exchange === undefined) return p;
  return { ...rest, price: { ...tried, since: now.wall, reverts: price?.reverts ?? 0 } };
}

/** A claim of ours with an exchange was mined and refused. */
export function reverted(t: T, p: LockFacts, now: Clocks): LockFacts {
  const reason = 'The chain refused the claim with its exchange.';
  const waits = waiting(t, p, now, { by: 'node', reason });
  return waits.price === undefined ? waits : { ...waits, price: { ...waits.price, reverts: waits.price.reverts + 1 } };
}
