import { expect, test } from 'vitest';
import { z } from 'zod';
import { exactly, partOf, sats, shapeOf } from '../../engine/legs/shape.ts';
import type { Sats } from '../../engine/domain/money.ts';

type State =
  | { readonly at: 'open'; readonly amount: Sats; readonly late?: true }
  | { readonly at: 'over'; readonly coins: readonly { readonly txid: string | null }[] };

const open = z.strictObject({ at: z.literal('open'), amount: sats, late: z.literal(true).exactOptional() });
const over = z.strictObject({
  at: z.literal('over'),
  coins: z.array(z.strictObject({ txid: z.string().nullable() })),
});

test('a schema that drifts from its type by one field, one mark or one state does not compile', () => {
  exactly<State>()(z.discriminatedUnion('at', [open, over]));
  // @ts-expect-error a state less
  exactly<State>()(open);
  // @ts-expect-error a field less that may be left out
  exactly<State>()(z.discriminatedUnion('at', [open.omit({ late: true }), over]));
  // @ts-expect-error a field more that may be left out
  exactly<State>()(z.discriminatedUnion('at', [open, over.extend({ why: z.string().exactOptional() })]));
  // @ts-expect-error one that may be left out must not be kept as undefined
  exactly<State>()(z.discriminatedUnion('at', [open.extend({ late: z.literal(true).optional() }), over]));
  // @ts-expect-error null deep inside
  exactly<State>()(
    z.discriminatedUnion('at', [open, over.extend({ coins: z.array(z.strictObject({ txid: z.string() })) })]),
  );
  // @ts-expect-error an amount that is not counted in satoshis
  exactly<State>()(z.discriminatedUnion('at', [open.extend({ amount: z.bigint() }), over]));
});

test('what was saved by an earlier version is brought up step by step, and what is newer is refused', () => {
  const amounts = shapeOf(
    z.strictObject({ amount: z.number(), unit: z.string() }),
    (first) => ({ amount: Number(first) }),
    (second) => ({ ...(second as object), unit: 'sat' }),
  );
  expect([
    amounts.version,
    amounts.read('7', 1),
    amounts.read({ amount: 7 }, 2),
    amounts.read({ amount: 7, unit: 'msat' }, 3),
  ]).toEqual([3, { amount: 7, unit: 'sat' }, { amount: 7, unit: 'sat' }, { amount: 7, unit: 'msat' }]);
  expect(() => amounts.read({ amount: 7 }, 3)).toThrow();
  expect(() => amounts.read({ amount: 7, unit: 'sat', more: true }, 3)).toThrow();
  for (const version of [0, 4]) expect(() => amounts.read({}, version)).toThrow(`in version ${version}`);
});

test('of a wider value the named fields stay: null is one, and what is left out is none', () => {
  const fields = { coin: z.string(), txid: z.string().nullable(), halted: z.literal(true).exactOptional() };
  const wider = { at: 'claiming', txid: null, coin: 'a', spends: [] };
  expect(Object.entries(partOf(fields)(wider))).toStrictEqual([
    ['coin', 'a'],
    ['txid', null],
  ]);
  expect(partOf(fields)({ ...wider, halted: true })).toStrictEqual({ coin: 'a', txid: null, halted: true });
});
