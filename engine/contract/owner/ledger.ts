import { z } from 'zod';
import { directionNames, wireDirections, type DirectionName } from '../../domain/chain.ts';
import { unix, type Unix } from '../../domain/time.ts';
import { optional, request } from '../field.ts';
import { integerField, oneOf } from '../scalars.ts';
import { signedAmount, unixTime, words } from '../wire.ts';
import { cursor } from './fields.ts';

export const ledgerRow = z
  .object({
    time: unixTime('When it was booked'),
    swap_id: words('Swap id').nullable(),
    pair: words('Direction of the swap').nullable(),
    kind: words('Kind of income or cost'),
    network: words('Network it was paid on'),
    asset: words('btc or the address of a token'),
    amount: signedAmount("Smallest units, positive in the node's favour"),
  })
  .meta({ id: 'LedgerRow', description: 'What the node earned or paid' });
export type LedgerRow = z.infer<typeof ledgerRow>;

export const ledger = z.object({
  rows: z.array(ledgerRow),
  next_cursor: words('Where the next page starts').nullable(),
});
export type Ledger = z.infer<typeof ledger>;

/** The columns of the ledger as CSV, in their order. */
export const ledgerColumns = [
  'time',
  'swap_id',
  'pair',
  'kind',
  'network',
  'asset',
  'amount',
] as const satisfies readonly (keyof LedgerRow)[];

export const ledgerCsv = z.string().meta({
  description:
    `With format=csv: RFC 4180, a first line of column names (${ledgerColumns.join(', ')}), then a line for each ` +
    'row. format=books has every line of the books, and adds from, to and note. Text that a spreadsheet would run ' +
    'as a formula begins with an apostrophe. The header X-Next-Cursor says ' +
    'where the next page starts, and is left out on the last one',
});

/** GET /owner/ledger. */
export interface LedgerQuery {
  readonly from: Unix | null;
  readonly to: Unix | null;
  readonly pair: DirectionName | null;
  readonly format: 'json' | 'csv' | 'books';
  readonly cursor: string | null;
}

const moment = (name: string, what: string) =>
  optional(integerField(name, `${what}, unix seconds`, 0, 253_402_300_799));

export const ledgerQuery = request(
  {
    from: moment('from', 'only rows from this moment on'),
    to: moment('to', 'only rows before this moment'),
    pair: optional(
      oneOf('pair', 'only this direction', [...directionNames.map((name) => wireDirections[name]), ...directionNames]),
    ),
    format: optional(oneOf('format', 'json by default', ['json', 'csv', 'books'])),
    cursor,
  },
  (wire): LedgerQuery => ({
    from: wire.from === undefined ? null : unix(wire.from),
    to: wire.to === undefined ? null : unix(wire.to),
    pair: directionNames.find((name) => name === wire.pair || wireDirections[name] === wire.pair) ?? null,
    format: wire.format ?? 'json',
    cursor: wire.cursor ?? null,
  }),
);
