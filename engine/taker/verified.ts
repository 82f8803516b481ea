import type { z } from 'zod';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import { isRead, type Clocks, type ReadClocks } from '../domain/time.ts';
import type { Deal, Leg } from './terms.ts';
import { distrust, read, type Objection } from './verify.ts';

/** How the record of one direction is judged. `M`: what else is read with it. */
interface Judging<R, T, N, S extends Leg, G extends Leg, M extends readonly unknown[]> {
  /** The first objection to what it says. */
  wrong(record: R, terms: T, now: N): Objection;
  /** Its legs, derived again; only of a record without objection. */
  deal(record: R, terms: T, now: N, ...more: M): Deal<S, G> | Refusal;
}

type Verify<T, S extends Leg, G extends Leg, M extends readonly unknown[]> = (
  given: unknown,
  terms: T,
  now: Clocks,
  ...more: M
) => Deal<S, G> | Refusal;

/** Where we would pay, or the sentence for which nobody is shown the address. */
export function verified<R extends z.ZodType, T, S extends Leg, G extends Leg, M extends readonly unknown[]>(
  schema: R,
  { wrong, deal }: Judging<z.infer<R>, T, Clocks, S, G, M>,
): Verify<T, S, G, M> {
  return (given, terms, now, ...more) => {
    const record = read(schema, given);
    if (isRefusal(record)) return record;
    const objection = wrong(record, terms, now);
    return objection === null ? deal(record, terms, now, ...more) : distrust(objection);
  };
}

/** The same of a record that the Bitcoin chain's clock judges. `unread`: the objection while that cannot be read. */
export function verifiedByChain<R extends z.ZodType, T, S extends Leg, G extends Leg, M extends readonly unknown[]>(
  schema: R,
  unread: string,
  { wrong, deal }: Judging<z.infer<R>, T, ReadClocks, S, G, M>,
): Verify<T, S, G, M> {
  return verified<R, T, S, G, M>(schema, {
    wrong: (record, terms, now) => (isRead(now) ? wrong(record, terms, now) : unread),
    deal: (record, terms, now, ...more) => (isRead(now) ? deal(record, terms, now, ...more) : distrust(unread)),
  });
}
