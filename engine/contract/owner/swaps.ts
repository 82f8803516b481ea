import { z } from 'zod';
import { ownerDirections, type DirectionName, type WalletJob } from '../../domain/chain.ts';
import { swapStatuses, type SwapStatus } from '../../domain/status.ts';
import { optional, request } from '../field.ts';
import { swapRecord } from '../records/swap.ts';
import { integerField, oneOf, text } from '../scalars.ts';
import { amount, flag, integer, jsonObject, sats, swapStatus, unixTime, words } from '../wire.ts';
import { at, cursor, direction, rowNames } from './fields.ts';
import { labelFields } from './labels.ts';
import { ledgerRow } from './ledger.ts';

export const ownerSwaps = z.object({
  swaps: z.array(
    z.object({
      id: words('Swap id'),
      label: labelFields.label,
      boltz_id: words('How its client calls it, of a swap by the Boltz interface').optional(),
      direction: direction
        .nullable()
        .meta({ description: 'Direction of a swap, or job of a wallet; null for one that this build does not know' }),
      status: swapStatus,
      at,
      value_sats: sats('Value of the swap'),
      next_action: words('Who does what next'),
      deadline: unixTime('Until when').nullable(),
      slack_seconds: integer('Seconds left before it is late, negative when it is').nullable(),
      flagged: flag('Whether a person must look at it'),
    }),
  ),
  next_cursor: words('Where the next page starts').nullable(),
});
export type OwnerSwaps = z.infer<typeof ownerSwaps>;

export const ownerSwap = z.object({
  record: swapRecord
    .nullable()
    .meta({ description: 'The record as its client sees it; null while it is being opened' }),
  direction,
  ...labelFields,
  at,
  terms: jsonObject('What was agreed'),
  progress: jsonObject('Where it stands'),
  journal: z.array(
    z.object({
      time: unixTime('When'),
      from: words('State before'),
      to: words('State after'),
      event: words('What happened'),
      effects: z.array(words('What was ordered')),
    }),
  ),
  transactions: z.array(
    z.object({
      txid: words('Transaction'),
      network: words('Network'),
      purpose: words('What it does'),
      state: words('Where it stands'),
      created: unixTime('When it was made'),
      replaces: words('Transaction that it replaces').nullable(),
    }),
  ),
  ledger: z.array(ledgerRow),
  /** Extra deposits, by the word that clients know. */
  strays: z.array(
    z.object({
      network: words('Network'),
      coin: words('Coin'),
      amount: amount('Smallest units'),
      seen: unixTime('When the swap last changed: it was seen then, or before'),
    }),
  ),
  other_locks: integer('Locks of its hash that are none of its: anybody can make them, and they change nothing'),
});
export type OwnerSwap = z.infer<typeof ownerSwap>;

export const acted = z.object({ at });
export type Acted = z.infer<typeof acted>;

/** GET /owner/swaps. */
export interface OwnerSwapsQuery {
  readonly direction: DirectionName | WalletJob | null;
  readonly status: SwapStatus | null;
  readonly open: boolean | null;
  /** Part of an id, label or note, or what a hash, address, invoice or transaction begins with. */
  readonly text: string | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** An invoice with hints for a route, or a long description, has more than a thousand characters. */
const longestText = 2_000;

export const ownerSwapsQuery = request(
  {
    direction: optional(
      oneOf('direction', 'only this direction', [...rowNames.map((name) => ownerDirections[name]), ...rowNames]),
    ),
    status: optional(oneOf('status', 'only this status', swapStatuses)),
    open: optional(oneOf('open', 'true: only swaps that are not over; false: only those that are', ['true', 'false'])),
    q: optional(
      text(
        'q',
        'part of the id, label or note of a swap, the whole id by which its client knows it, or at least 16 ' +
          'characters that a hash, key, address, invoice or transaction of it begins with (of a swap that nobody ' +
          'paid for and whose story is dropped, its whole hash alone)',
        longestText,
      ),
    ),
    cursor,
    limit: optional(integerField('limit', 'how many', 1, 500)),
  },
  (wire): OwnerSwapsQuery => ({
    direction: rowNames.find((name) => name === wire.direction || ownerDirections[name] === wire.direction) ?? null,
    status: wire.status ?? null,
    open: wire.open === undefined ? null : wire.open === 'true',
    text: wire.q ?? null,
    cursor: wire.cursor ?? null,
    limit: wire.limit ?? 50,
  }),
);
