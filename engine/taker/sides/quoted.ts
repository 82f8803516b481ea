import { isRefusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { amountsIn } from '../restore/restoring.ts';
import type { Price } from './agreed.ts';

interface Amounts {
  readonly sourceAmount: Sats;
  readonly targetAmount: Sats;
}

/** Sats for sats: the amount on one side is pinned, and the other is what the provider quotes for that. */
export function quotedFor(
  side: 'source' | 'target',
): Price<{ readonly source_amount: string; readonly target_amount: string }, Amounts> {
  return {
    async ordered(direction, { request: { amount }, provider }) {
      const quoted = await provider.quote(direction, { side, amount });
      if (isRefusal(quoted)) return quoted;
      const amounts =
        side === 'source'
          ? { sourceAmount: amount, targetAmount: quoted.target }
          : { sourceAmount: quoted.source, targetAmount: amount };
      return { value: amounts.sourceAmount, terms: () => amounts };
    },
    recovered(record) {
      const amounts = amountsIn(record);
      return isRefusal(amounts) ? amounts : { value: amounts.sourceAmount, terms: amounts };
    },
  };
}
