import type { z } from 'zod';
import type { TakerDirection } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { sha256Of } from '../../legs/secret.ts';
import type { Ordering, TakenDirection } from '../direction.ts';
import { asCreated, readCreated, type Restorable, type Restoring } from '../restore/restoring.ts';
import type { Agreed, OrderTerms } from '../terms.ts';

/*
 * The terms of a swap, put together from its two sides and the price between them: at its order, and when it is found
 * again.
 */

type Answer<F> = F | Refusal | Promise<F | Refusal>;

/** What one side brings into the terms. `R`: what a record says of it. */
export interface Side<R, F extends object> {
  ordered(from: Ordering): Answer<F>;
  recovered(record: R, from: Restoring): Answer<F>;
  /** Fields of a record that nothing of ours goes by any more, and what they are taken for. */
  instead?(from: Restoring): object;
}

/** How much is given for how much. `value`: in sats. */
export interface Price<R, F extends object> {
  ordered(
    direction: TakerDirection,
    from: Ordering,
  ): Promise<{ readonly value: Sats; terms(agreed: Agreed): F } | Refusal>;
  recovered(record: R, from: Restoring): Answer<{ readonly value: Sats; readonly terms: F; readonly instead?: object }>;
}

/** A side of which all that is agreed is in the price. */
export const inPrice: Side<object, object> = { ordered: () => ({}), recovered: () => ({}) };

/** The secret is ours, unless a side knows the hash of another's. */
export function agreed<S extends z.ZodType, P extends object, F extends object, G extends object>(
  direction: TakerDirection,
  of: {
    readonly record: S;
    readonly ours: Restorable['ours'];
    readonly price: Price<z.infer<S>, P>;
    readonly source: Side<z.infer<S>, F>;
    readonly target: Side<z.infer<S>, G>;
  },
): Pick<TakenDirection<OrderTerms & P & F & G>, 'order' | 'restorable'> & { readonly direction: TakerDirection } {
  const { ours, price, source, target } = of;
  return {
    direction,
    async order(from) {
      const gives = await source.ordered(from);
      if (isRefusal(gives)) return gives;
      const gets = await target.ordered(from);
      if (isRefusal(gets)) return gets;
      const priced = await price.ordered(direction, from);
      if (isRefusal(priced)) return priced;
      return {
        value: priced.value,
        terms: (given, secret) => ({
          ...given,
          hash: sha256Of(secret),
          ...priced.terms(given),
          ...gives,
          ...gets,
        }),
      };
    },
    restorable: {
      ours,
      async recovered(given, from) {
        const record = readCreated(of.record, given);
        if (isRefusal(record)) return record;
        const gives = await source.recovered(record, from);
        if (isRefusal(gives)) return gives;
        const gets = await target.recovered(record, from);
        if (isRefusal(gets)) return gets;
        const priced = await price.recovered(record, from);
        if (isRefusal(priced)) return priced;
        return {
          record: asCreated(given, { ...target.instead?.(from), ...priced.instead }),
          value: priced.value,
          terms: { ...from.agreed, hash: sha256Of(from.secret), ...priced.terms, ...gives, ...gets },
        };
      },
    },
  };
}
