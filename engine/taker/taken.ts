import type { z } from 'zod';
import type { TakerDirection } from '../domain/chain.ts';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import type { Clocks } from '../domain/time.ts';
import type { DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { ProviderOrder } from '../legs/provider/effects.ts';
import { fieldsShape, type Shape } from '../legs/shape.ts';
import { clientOf } from './client/client.ts';
import type { TakenDirection } from './direction.ts';
import type { Restorable } from './restore/restoring.ts';
import { orderFields } from './shape.ts';
import { agreed, type Both, type Terms } from './sides/agreed.ts';
import { wrongEnds } from './sides/ends.ts';
import type { Deal, Leg, OrderTerms } from './terms.ts';
import { distrust, read, wrongFrame, type CommonFields, type Objection, type Priced } from './verify.ts';

/** What is a direction's own. `R`: its record; `T`: its terms. */
interface Own<R, T> {
  /** By which its swaps are found again. */
  readonly ours: Restorable['ours'];
  /** The order in the form of the wire. */
  request(t: T): ProviderOrder['body'];
  /** The first objection to its hash, and to what no other record says. */
  readonly wrong: (record: R, terms: T) => Objection;
}

/** A direction with the judge of its records, who says where we would pay, or why nobody is shown that. */
interface OwnDirection<T extends OrderTerms, S extends Leg, L extends Leg> extends TakenDirection<T> {
  verify(given: unknown, terms: T, now: Clocks, decode: DecodeInvoice): Deal<S, L> | Refusal;
}

type AnyRecord = CommonFields & Pick<Priced, 'fee_sats' | 'network_fee_sats'>;

/** A direction by its two sides, the price between them, and what is its own. */
export function taken<
  R extends z.ZodType<AnyRecord>,
  P extends z.ZodRawShape,
  F extends z.ZodRawShape,
  G extends z.ZodRawShape,
  S extends Leg,
  L extends Leg,
>(
  direction: TakerDirection,
  schema: R,
  of: Both<z.infer<R>, P, F, G, S, L> & Own<z.infer<R>, NoInfer<Terms<P, F, G>>>,
): OwnDirection<Terms<P, F, G>, S, L> {
  type T = Terms<P, F, G>;
  const { source, target, price } = of;
  const fields = { ...orderFields, ...price.fields, ...source.fields, ...target.fields };
  const verify: OwnDirection<T, S, L>['verify'] = (given, terms, now, decode) => {
    const record = read(schema, given);
    if (isRefusal(record)) return record;
    const wrong =
      wrongFrame(record, terms, { source: source.token(terms), target: target.token(terms) }) ??
      price.wrong(record, terms) ??
      of.wrong(record, terms);
    if (wrong !== null) return distrust(wrong);
    const gives = source.leg(record, terms, now, decode);
    if (isRefusal(gives)) return gives;
    const early = wrongEnds(of, record, terms, now);
    if (early !== null) return distrust(early);
    const gets = target.leg(record, terms, now, { within: source.within(gives, terms, now), given: source.given });
    return isRefusal(gets) ? gets : { swapId: record.id, costs: costsIn(record), source: gives, target: gets };
  };
  const client = clientOf<T, S, L>({
    ...{ direction, verify, fund: source.fund, claim: target.claim, request: of.request },
    ...agreed(direction, schema, of.ours, of),
    terms: fieldsShape(fields) as unknown as Shape<T>,
    neverRefunded: source.neverRefunded ?? null,
  });
  return { ...client, verify };
}

/** What a record says that a swap costs, having been compared with its amounts. */
function costsIn({ fee_sats: fee, network_fee_sats: network }: AnyRecord): Deal['costs'] {
  return [
    { part: 'service', sats: BigInt(fee) },
    ...(network === undefined ? [] : [{ part: 'network' as const, sats: BigInt(network) }]),
  ];
}
