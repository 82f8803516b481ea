import { z } from 'zod';
import type { Paid } from '../../../../legs/evm/paid.ts';
import { evmAddress, evmNetworkName, lockFields, lockTerms, swapContracts } from '../../../../legs/evm/shape.ts';
import { bytes, exactly, sats, sha256, timeoutPolicy, unix } from '../../../../legs/shape.ts';
import type { RecordToken } from '../record.ts';
import type { Deposit, RefundRelay, Relay, Sent } from './terms.ts';

const recordToken = exactly<RecordToken>()(
  z.strictObject({ address: evmAddress, decimals: z.number(), symbol: z.string(), name: z.string() }),
);

/** Terms of this half, in every direction that begins on an EVM chain. */
export const sourceTerms = {
  hash: sha256,
  network: evmNetworkName,
  contracts: swapContracts,
  lock: z.strictObject(lockFields),
  least: z.bigint(),
  pegged: recordToken,
  clientAddress: evmAddress,
  source: recordToken,
  sourceUnits: z.bigint(),
  sourcePinned: z.boolean(),
  gasless: z.boolean(),
  sourceAmount: sats,
  feeSats: sats,
  networkFeeSats: sats,
  confirmations: z.number(),
  since: z.number(),
  fundBefore: unix,
  payBefore: unix,
  agreed: z.boolean(),
  policy: timeoutPolicy,
};

const txid = z.string();
const paid = exactly<Paid>()(z.strictObject({ token: evmAddress, taken: z.bigint(), returned: z.bigint() }));
const locked = {
  ...{ lock: lockTerms, key: bytes, txid, depositor: evmAddress.nullable() },
  paid: paid.exactOptional(),
};
export const deposit = exactly<Deposit>()(z.strictObject(locked));
const strays = z.array(z.strictObject({ ...locked, taken: z.boolean() }));
const purpose = z.enum([
  'lock',
  'claim',
  'refund',
  'relay-claim',
  'relay-fund',
  'relay-refund',
  'taker-claim',
  'taker-fund',
  'taker-refund',
  'pay',
  'approve',
  'permit',
  'taker-approve',
  'taker-pay',
  'cancel',
]);
const sent = exactly<Sent>()(z.strictObject({ purpose, txid, taken: txid.exactOptional() }));
const base = { sent: z.array(sent), given: z.bigint().nullable() };
const relay = exactly<Relay>()(
  z.strictObject({ txid: txid.nullable(), mined: z.strictObject({ by: txid, heard: unix }).nullable() }),
);
const fundable = {
  ...base,
  strays,
  relay: relay.nullable(),
  relays: z.number(),
  refusal: z.string().nullable(),
  vanished: z.boolean(),
};
const deposited = { ...base, deposit, strays, gone: z.literal(true).exactOptional() };
const refund = exactly<RefundRelay>()(z.strictObject({ key: bytes, txid: txid.nullable() }));
const left = {
  unwatched: z.boolean(),
  askedUntil: unix.nullable(),
  refund: refund.nullable(),
  refunds: z.number(),
  refundsOfOthers: z.number(),
  refusal: z.string().nullable(),
};
const counted = { counted: deposit.exactOptional() };

/** Stored fields of each state of this half, without `at`. */
export const sourceFields = {
  pending: fundable,
  seen: { ...fundable, deposit },
  deposited,
  claiming: { ...deposited, claimTxid: txid.nullable() },
  claimed: { ...deposited, ...left, claimTxid: txid },
  lost: { ...deposited, ...left },
  stopped: {
    ...base,
    ...left,
    why: z.enum(['expired', 'invalid', 'late', 'wont']),
    reason: z.string(),
    fenced: z.boolean(),
    strays,
    ...counted,
  },
  refunded: { ...base, ...left, strays, ...counted },
};
