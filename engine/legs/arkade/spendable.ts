import { less, lesser, sats, type Sats } from '../../domain/money.ts';
import type { Unix } from '../../domain/time.ts';
import type { Vtxo } from './vtxo.ts';

/** A coin of the wallet that a payment can take now. */
export type SpendableCoin = Pick<Vtxo, 'amount' | 'expiresAt'>;

/** More inputs than this and a transaction may weigh more than an operator takes. */
export const mostInputs = 50;

/** What of the coins outlives that moment, in sats. */
export function livingUntil(coins: readonly SpendableCoin[], until: Unix): Sats {
  return sumOf(coins.filter(({ expiresAt }) => expiresAt > until));
}

/**
 * The most, in sats, that one payment from the wallet can still lock with coins that outlive `until`, beside what was
 * promised already. Change is nothing or at least `dust`, so that dust is kept back once. Wrong: a payment is held, or
 * a coin asked for, against a lock that cannot be made.
 */
export function lockableWith(
  coins: readonly SpendableCoin[],
  { until, promised, dust }: { readonly until: Unix; readonly promised: Sats; readonly dust: Sats },
): Sats {
  const living = coins.filter(({ expiresAt }) => expiresAt > until);
  const largest = [...living].sort((a, b) => Number(b.amount - a.amount)).slice(0, mostInputs);
  return lesser(less(sumOf(largest), dust), less(less(sumOf(living), promised), dust));
}

function sumOf(coins: readonly Pick<SpendableCoin, 'amount'>[]): Sats {
  return sats(coins.reduce((sum, { amount }) => sum + amount, 0n));
}
