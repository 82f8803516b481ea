import { z } from 'zod';
import {
  directionNames,
  ownerDirections,
  wireDirections,
  type DirectionName,
  type Network,
  type WalletJob,
} from '../domain/chain.ts';
import { swapStatuses, type SwapStatus } from '../domain/status.ts';
import type { TokenAmount } from '../domain/money.ts';
import type { Unix } from '../domain/time.ts';
import { unix } from '../domain/time.ts';
import { optional, request } from './field.ts';
import { swapRecord } from './records/swap.ts';
import { integerField, oneOf, patterned, text, unitsField } from './scalars.ts';
import { amount, count, flag, integer, jsonObject, sats, signedAmount, swapStatus, unixTime, words } from './wire.ts';

/** Requests and replies of the owner's routes. Sats are integers, token amounts decimal strings, times unix seconds. */

const listed = Object.keys(ownerDirections) as (DirectionName | WalletJob)[];
const direction = z
  .enum(listed.map((name) => ownerDirections[name]))
  .meta({ description: 'Direction of a swap, or job of a wallet' });
const at = words('Internal state of the swap');

export const ownerStatus = z.object({
  version: words('Version of the node'),
  network: words('Bitcoin network of the data folder'),
  started: unixTime('When the node started'),
  paused: z.object({ by: z.enum(['owner', 'guard']), reason: words('Why'), since: unixTime('Since when') }).nullable(),
  networks: z.array(
    z.object({
      name: words('arkade, lightning, bitcoin or evm:137'),
      state: z.enum(['connected', 'away', 'absent']),
      detail: words('What is known about it'),
      height: count('Height of its tip').optional(),
      lag_seconds: integer(
        "How far its clock is behind this machine's, negative when it is ahead: median time past on Bitcoin, the latest block on EVM chains; elsewhere the age of its last answer",
      ).optional(),
    }),
  ),
  open_swaps: count('Swaps that are not over'),
  at_risk_sats: sats('What the node has locked and not got back'),
});
export type OwnerStatus = z.infer<typeof ownerStatus>;

const ledgerRow = z
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

export const ownerSwaps = z.object({
  swaps: z.array(
    z.object({
      id: words('Swap id'),
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
  strays: z.array(
    z.object({
      network: words('Network'),
      coin: words('Coin'),
      amount: amount('Smallest units'),
      seen: unixTime('When it was seen'),
    }),
  ),
});
export type OwnerSwap = z.infer<typeof ownerSwap>;

export const acted = z.object({ at });
export type Acted = z.infer<typeof acted>;

export const settings = z.object({
  settings: jsonObject('The configuration in force; a secret that is set shows as true'),
});
export type Settings = z.infer<typeof settings>;

export const doctor = z.object({
  rows: z.array(
    z.object({
      network: words('Network or part of the node'),
      check: words('What was checked'),
      result: z.enum(['pass', 'warn', 'fail']),
      sentence: words('What was found and what to do'),
    }),
  ),
});
export type Doctor = z.infer<typeof doctor>;

export const balances = z.object({
  balances: z.array(
    z.object({
      network: words('Network'),
      asset: words('btc or the address of a token'),
      available: amount('Free'),
      reserved: amount('Promised to swaps'),
      locked: amount('In HTLCs'),
      pending: amount('On its way'),
    }),
  ),
});
export type Balances = z.infer<typeof balances>;

export const walletAddress = z.object({ address: words('Where to send; an invoice on Lightning') });
export type WalletAddress = z.infer<typeof walletAddress>;
export const withdrawal = z.object({ id: words('Wallet job'), transaction: words('Transaction or payment') });
export type Withdrawal = z.infer<typeof withdrawal>;

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
  description: `With format=csv: RFC 4180, a first line of column names (${ledgerColumns.join(', ')}), then a line for each row. Text that a spreadsheet would run as a formula begins with an apostrophe. The header X-Next-Cursor says where the next page starts, and is left out on the last one`,
});

export const developerKeys = z.object({
  keys: z.array(
    z.object({
      id: words('Id'),
      name: words('Whose it is'),
      max_extra_fee_bps: count('Highest extra_fees it allows'),
      key_hash: words('SHA-256 of the key, hex'),
    }),
  ),
});
export type DeveloperKeys = z.infer<typeof developerKeys>;
export const newDeveloperKey = z.object({ id: words('Id'), key: words('The key, shown this once') });
export type NewDeveloperKey = z.infer<typeof newDeveloperKey>;

/** What `/owner/events` sends. Beyond `type`, an event carries what a screen needs to decide whether to reload. */
export const ownerEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('swap'), id: words('Swap id'), direction, status: swapStatus, at }),
  z.object({ type: z.literal('status'), status: ownerStatus }),
  z.object({
    type: z.literal('alert'),
    time: unixTime('When'),
    severity: z.enum(['info', 'warn', 'act']),
    sentence: words('What happened and what to do'),
    swap_id: words('Swap id').optional(),
    count: count('How often it happened by now; left out the first time').optional(),
  }),
  z.object({
    type: z.literal('taker'),
    id: words('Id of a swap in which this node is the client'),
    status: swapStatus,
    at,
  }),
  z.object({ type: z.literal('balance'), network: words('Network whose balance changed') }),
]);
export type OwnerEvent = z.infer<typeof ownerEvent>;

/** GET /owner/swaps. */
export interface OwnerSwapsQuery {
  readonly direction: DirectionName | WalletJob | null;
  readonly status: SwapStatus | null;
  readonly open: boolean | null;
  /** Part of an id, hash, address or transaction. */
  readonly text: string | null;
  readonly cursor: string | null;
  readonly limit: number;
}

const cursor = optional(text('cursor', 'the next_cursor of the page before', 200));

export const ownerSwapsQuery = request(
  {
    direction: optional(
      oneOf('direction', 'only this direction', [...listed.map((name) => ownerDirections[name]), ...listed]),
    ),
    status: optional(oneOf('status', 'only this status', swapStatuses)),
    open: optional(oneOf('open', 'true: only swaps that are not over; false: only those that are', ['true', 'false'])),
    q: optional(text('q', 'part of an id, hash, address or transaction', 200)),
    cursor,
    limit: optional(integerField('limit', 'how many', 1, 500)),
  },
  (wire): OwnerSwapsQuery => ({
    direction: listed.find((name) => name === wire.direction || ownerDirections[name] === wire.direction) ?? null,
    status: wire.status ?? null,
    open: wire.open === undefined ? null : wire.open === 'true',
    text: wire.q ?? null,
    cursor: wire.cursor ?? null,
    limit: wire.limit ?? 50,
  }),
);

/** GET /owner/ledger. */
export interface LedgerQuery {
  readonly from: Unix | null;
  readonly to: Unix | null;
  readonly pair: DirectionName | null;
  readonly format: 'json' | 'csv';
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
    format: optional(oneOf('format', 'json by default', ['json', 'csv'])),
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

export const pauseBody = request({ reason: text('reason', 'why swaps are paused', 500) }, (wire) => wire);

const networkName = patterned(
  { name: 'network', hint: 'arkade, lightning, bitcoin or evm: and a chain number' },
  'arkade, lightning, bitcoin or evm:137',
  /^(arkade|lightning|bitcoin|evm:[1-9]\d{0,9})$/,
);

export const walletParams = request({ network: networkName }, (wire) => ({ network: wire.network as Network }));

const asset = optional(text('asset', 'btc or the address of a token', 100));

/** POST /owner/wallets/{network}/address. `amount` is what the invoice asks for on Lightning, and ignored elsewhere. */
export interface WalletAddressRequest {
  readonly asset: string | null;
  readonly amount: TokenAmount | null;
}

export const walletAddressBody = request(
  { asset, amount: optional(unitsField('amount', 'the amount of the invoice, on Lightning')) },
  (wire): WalletAddressRequest => ({ asset: wire.asset ?? null, amount: wire.amount ?? null }),
);

/** POST /owner/wallets/{network}/withdraw. */
export interface WithdrawRequest {
  /** An invoice on Lightning. */
  readonly address: string;
  readonly amount: TokenAmount;
  readonly asset: string | null;
  /** Most that it may cost, first fee and raises together, or routing; null for what the owner's settings allow. */
  readonly maxFee?: TokenAmount | null;
}

export const withdrawBody = request(
  {
    address: text('address', 'where to send', 5_000),
    amount: unitsField('amount', 'how much to send'),
    asset,
    max_fee: optional(
      unitsField('max_fee', 'the most that it may cost, instead of what the ceilings in the settings allow'),
    ),
  },
  (wire): WithdrawRequest => ({
    address: wire.address,
    amount: wire.amount,
    asset: wire.asset ?? null,
    maxFee: wire.max_fee ?? null,
  }),
);

/** POST /owner/developer-keys. */
export interface DeveloperKeyRequest {
  readonly name: string;
  readonly maxExtraFeeBps: number;
}

export const developerKeyBody = request(
  {
    name: text('name', 'whose key it is', 100),
    max_extra_fee_bps: integerField(
      'max_extra_fee_bps',
      'the highest extra_fees the key allows, in basis points',
      0,
      10_000,
    ),
  },
  (wire): DeveloperKeyRequest => ({ name: wire.name, maxExtraFeeBps: wire.max_extra_fee_bps }),
);
