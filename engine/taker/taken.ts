import type { z } from 'zod';
import type { TakerDirection } from '../domain/chain.ts';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import { isRead, type Clocks, type ReadClocks } from '../domain/time.ts';
import type { DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { ProviderOrder } from '../legs/provider/effects.ts';
import { fieldsShape, type Shape } from '../legs/shape.ts';
import { clientOf } from './client/client.ts';
import type { TakenDirection } from './direction.ts';
import type { Restorable } from './restore/restoring.ts';
import { orderFields } from './shape.ts';
import { agreed, type Both, type Terms } from './sides/agreed.ts';
import type { Deal, Leg, OrderTerms } from './terms.ts';
import { distrust, read, wrongFrame, type CommonFields, type Objection } from './verify.ts';

/** `U`: a sentence where nothing is judged without the clock of the Bitcoin chain. */
type Now<U> = U extends string ? ReadClocks : Clocks;

/** What is a direction's own. `R`: its record; `T`: its terms. */
interface Own<R, T, S extends Leg, L extends Leg, U extends string | undefined> {
  /** By which its swaps are found again. */
  readonly ours: Restorable['ours'];
  /** The order in the form of the wire. */
  request(t: T): ProviderOrder['body'];
  /** The objection while the clock of the Bitcoin chain cannot be read; left out where not everything hangs on it. */
  readonly unread?: U;
  /** The first objection to a record whose tokens and price are right. */
  wrong(record: R, terms: T, now: Now<U>): Objection;
  /** Its legs, derived again; only of a record without objection. */
  deal(record: R, terms: T, now: Now<U>, decode: DecodeInvoice): Deal<S, L> | Refusal;
}

/** A direction with the judge of its records, who says where we would pay, or why nobody is shown that. */
interface OwnDirection<T extends OrderTerms, S extends Leg, L extends Leg> extends TakenDirection<T> {
  verify(given: unknown, terms: T, now: Clocks, decode: DecodeInvoice): Deal<S, L> | Refusal;
}

/** A direction by its two sides, the price between them, and what is its own. */
export function taken<
  R extends z.ZodType<CommonFields>,
  P extends z.ZodRawShape,
  F extends z.ZodRawShape,
  G extends z.ZodRawShape,
  S extends Leg,
  L extends Leg,
  U extends string | undefined = undefined,
>(
  direction: TakerDirection,
  schema: R,
  of: Both<z.infer<R>, P, F, G, S, L> & Own<z.infer<R>, NoInfer<Terms<P, F, G>>, NoInfer<S>, NoInfer<L>, U>,
): OwnDirection<Terms<P, F, G>, S, L> {
  type T = Terms<P, F, G>;
  const { source, target, price, unread } = of;
  const fields = { ...orderFields, ...price.fields, ...source.fields, ...target.fields };
  function wrong(record: z.infer<R>, terms: T, now: Clocks): Objection {
    if (unread !== undefined && !isRead(now)) return unread;
    return (
      wrongFrame(record, terms, { source: source.token(terms), target: target.token(terms) }) ??
      price.wrong(record, terms) ??
      of.wrong(record, terms, now as Now<U>)
    );
  }
  const verify: OwnDirection<T, S, L>['verify'] = (given, terms, now, decode) => {
    const record = read(schema, given);
    if (isRefusal(record)) return record;
    const objection = wrong(record, terms, now);
    return objection === null ? of.deal(record, terms, now as Now<U>, decode) : distrust(objection);
  };
  const client = clientOf<T, S, L>({
    ...{ direction, verify, fund: source.fund, claim: target.claim, request: of.request },
    ...agreed(direction, schema, of.ours, of),
    terms: fieldsShape(fields) as unknown as Shape<T>,
    neverRefunded: source.neverRefunded ?? null,
  });
  return { ...client, verify };
}
