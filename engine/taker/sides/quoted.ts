import { isRefusal } from '../../domain/errors.ts';
import { amountsIn } from '../restore/restoring.ts';
import { amountFields } from '../shape.ts';
import type { ArkadeOrderTerms } from '../terms.ts';
import { wrongAmounts, type Priced } from '../verify.ts';
import type { Price } from './agreed.ts';

/** Sats for sats: the amount on one side is pinned, and the other is what the provider quotes for that. */
export function quotedFor(
  side: 'source' | 'target',
): Price<Priced, Pick<ArkadeOrderTerms, 'sourceAmount' | 'targetAmount'>, typeof amountFields> {
  return {
    fields: amountFields,
    wrong: wrongAmounts,
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
