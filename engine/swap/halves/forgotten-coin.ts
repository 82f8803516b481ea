import { largestOf, type Sats } from '../../domain/money.ts';
import type { ForgottenAmount } from './fund.ts';

/**
 * Of the coins at our own script the one that is taken for our lock, which a copy of the database forgot; null for
 * none. A claimed one shows the secret. Of others the largest: whoever pays one beside ours has it taken by the same
 * secret, or leaves us more than ours holds (facts/faults.md 137).
 *
 * Loses money when wrong: a smaller coin of the client's is looked at while it claims ours.
 */
export function forgottenCoin<C extends { readonly amount: Sats }>(
  { targetAmount }: { readonly targetAmount: Sats },
  coins: readonly C[],
  holds: ForgottenAmount,
  isClaimed: (coin: C) => boolean,
): C | null {
  const some = holds === 'any amount' ? coins : coins.filter(({ amount }) => amount === targetAmount);
  const claimed = some.find(isClaimed);
  if (claimed !== undefined) return claimed;
  return largestOf(some);
}
