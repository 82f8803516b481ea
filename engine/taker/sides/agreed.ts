import type { z } from 'zod';
import type { TakerDirection } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import type { Clocks } from '../../domain/time.ts';
import type { TokenInfo } from '../../domain/token.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import { sha256Of } from '../../legs/secret.ts';
import type { ValueOf } from '../../legs/shape.ts';
import type { Ordering, TakenDirection } from '../direction.ts';
import type { ClientClaim } from '../halves/claim.ts';
import type { ClientFund, Dealt, FundStage } from '../halves/fund.ts';
import { asCreated, readCreated, type Restorable, type Restoring } from '../restore/restoring.ts';
import type { Agreed, Leg, OrderTerms } from '../terms.ts';
import type { Objection } from '../verify.ts';
import type { Back, End } from './ends.ts';

/*
 * The terms of a swap, put together from its two sides and the price between them: at its order, and when it is found
 * again.
 */

type Answer<F> = F | Refusal | Promise<F | Refusal>;
type Fields = z.ZodRawShape;

/** What one side brings into the terms. `R`: what a record says of it; `T`: what of the terms it goes by. */
interface Side<R, T, F extends Fields> {
  readonly fields: F;
  /** Its token, as records say it. */
  token(t: T): TokenInfo;
  ordered(from: Ordering): Answer<ValueOf<F>>;
  recovered(record: R, from: Restoring): Answer<ValueOf<F>>;
  /** Fields of a record that nothing of ours goes by any more, and what they are taken for. */
  instead?(from: Restoring): object;
}

/** The side on which we fund. */
export interface Source<R, T, F extends Fields, L extends Leg> extends Side<R, T, F> {
  readonly fund: ClientFund<T, Dealt<L>, Dealt<L> & { readonly at: FundStage }>;
  /** Why there is never anything to ask back; left out where there may be. */
  readonly neverRefunded?: string;
  /** What a record asks us for, derived again, or why nobody is shown where to pay it. */
  readonly leg: (record: R, terms: T, now: Clocks, decode: DecodeInvoice) => L | Refusal;
  /** How a sentence says that we give it: "its invoice may be paid". */
  readonly given: string;
  /** Seconds from now after which it is given, however late, and as deep as it has to be. */
  readonly within: (leg: L, terms: T, now: Clocks) => number;
  /** Left out where it comes back by itself. */
  readonly back?: Back<R, T>;
}

/** How late something of ours is given, in seconds from now, and how a sentence says that it is. */
export interface Late {
  readonly within: number;
  readonly given: string;
}

/** The side on which the provider locks or pays. */
export interface Target<R, T, F extends Fields, L extends Leg> extends Side<R, T, F> {
  readonly claim: ClientClaim<T, L, object, object>;
  /** What a record offers us, derived again, or why it is not paid for. `late`: ours, for which we are to claim it. */
  readonly leg: (record: R, terms: T, now: Clocks, late: Late) => L | Refusal;
  /** Left out where it locks nothing. */
  readonly end?: End<R, T>;
}

/** How much is given for how much. `value`: in sats. */
export interface Price<R, T, F extends Fields> {
  readonly fields: F;
  ordered(
    direction: TakerDirection,
    from: Ordering,
  ): Promise<{ readonly value: Sats; terms(agreed: Agreed): ValueOf<F> } | Refusal>;
  recovered(
    record: R,
    from: Restoring,
  ): Answer<{ readonly value: Sats; readonly terms: ValueOf<F>; readonly instead?: object }>;
  /** What is wrong with what a record says of it. */
  wrong(record: R, terms: T): Objection;
}

/** What is agreed with these fields beside those of every order. */
export type Terms<P extends Fields, F extends Fields, G extends Fields> = OrderTerms &
  ValueOf<P> &
  ValueOf<F> &
  ValueOf<G>;

/** Both sides of a direction. `R`: its record. */
export interface Both<R, P extends Fields, F extends Fields, G extends Fields, S extends Leg, L extends Leg> {
  readonly price: Price<R, NoInfer<Terms<P, F, G>>, P>;
  readonly source: Source<R, NoInfer<Terms<P, F, G>>, F, S>;
  readonly target: Target<R, NoInfer<Terms<P, F, G>>, G, L>;
}

/** The secret is ours, unless a side knows the hash of another's. `ours`: by which its swaps are found again. */
export function agreed<
  R extends z.ZodType,
  P extends Fields,
  F extends Fields,
  G extends Fields,
  S extends Leg,
  L extends Leg,
>(
  direction: TakerDirection,
  schema: R,
  ours: Restorable['ours'],
  { price, source, target }: Both<z.infer<R>, P, F, G, S, L>,
): Pick<TakenDirection<Terms<P, F, G>>, 'order' | 'restorable'> {
  return {
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
        const record = readCreated(schema, given);
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
