import { afterAll, beforeAll, expect, test } from 'vitest';
import { arkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { TakeArkadeEvmTerms } from '../../engine/taker/arkade-evm/terms.ts';
import { verifyArkadeEvm } from '../../engine/taker/arkade-evm/verify.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from './pair.ts';

/* The record of a real provider with every field changed: what may say anything is listed with its reason, all else is refused. */

type Json = Record<string, unknown>;

let pair: Pair;
let chain: EvmWorld;
let record: Json;
let terms: TakeArkadeEvmTerms;
let now: Clocks;

beforeAll(async () => {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({ world, taker: { evm: chain }, provider: { evm: chain } });
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (created.is === 'created') record = created.record as Json;
    return created;
  };
  const destination = asEvmAddress(new Uint8Array(20).fill(0x11));
  const created = await pair.taker.taker.create({
    direction: 'arkade-evm',
    amount: sats(50_000),
    invoice: null,
    evm: { chainId: 137, token: null, destination, gasless: true },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  terms = pair.taker.runtime.workingSet.find(created.id)?.row.terms as TakeArkadeEvmTerms;
  now = pair.taker.runtime.clock.now();
}, 60_000);

afterAll(async () => {
  await pair.stop();
  await chain.stop();
});

const isAccepted = (given: unknown): boolean => !isRefusal(verifyArkadeEvm(given, terms, now));

/** Other values of the same kind: near ones first, for those are the ones that slip through. */
function others(value: unknown): unknown[] {
  if (typeof value === 'number')
    return [value + 1, value - 1, value + 512, value * 2, 0, -1, String(value), null].filter((one) => one !== value);
  if (typeof value !== 'string') return [null, 'x', 0];
  const flipped = (at: number) => `${value.slice(0, at)}${value[at] === '0' ? '1' : '0'}${value.slice(at + 1)}`;
  if (/^\d+$/.test(value))
    return [String(BigInt(value) + 1n), String(BigInt(value) - 1n), `${value}0`, '0', Number(value), '', null];
  return [flipped(value.length - 1), flipped(Math.floor(value.length / 2)), `${value}x`, value.slice(0, -2), '', null];
}

/** What may say something else, and why that costs nobody anything. */
const free: readonly { readonly field: string; readonly values: () => unknown[]; readonly why: string }[] = [
  {
    field: 'id',
    values: () => ['another-id'],
    why: "the provider's own name for the swap: with a wrong one only its word is out of reach",
  },
  { field: 'created_at', values: () => ['1999-01-01T00:00:00.000Z'], why: 'nothing is counted from it' },
  {
    field: 'server_evm_address',
    values: () => [`0x${'77'.repeat(20)}`],
    why: 'whoever locks is refunded: only a lock that names this very account is claimed',
  },
  {
    field: 'evm_refund_locktime',
    values: () => [Number(record['evm_refund_locktime']) + 1, Number(record['evm_refund_locktime']) - 512],
    why: 'within its bounds it is for the provider to say: only a lock with this very timelock is claimed',
  },
];
const added: Json = {
  surplus_amount: '1',
  arkade_fund_txid: 'ab'.repeat(32),
  arkade_claim_txid: 'ab'.repeat(32),
  btc_fund_txid: 'ab'.repeat(32),
  btc_claim_txid: 'ab'.repeat(32),
  evm_fund_txid: `0x${'ab'.repeat(32)}`,
  evm_claim_txid: `0x${'ab'.repeat(32)}`,
  bridge_target_chain: 'Base',
  bridge_target_token_address: `0x${'ab'.repeat(20)}`,
};
const words = ['name', 'symbol'];

function changesOf(field: string): unknown[] {
  if (field in added) return [added[field]];
  const value = record[field];
  if (!field.endsWith('_token')) return others(value);
  const token = value as Json;
  return Object.keys(token)
    .filter((part) => !words.includes(part))
    .flatMap((part) => others(token[part]).map((other) => ({ ...token, [part]: other })));
}

test('an honest record is accepted', () => {
  expect(verifyArkadeEvm(record, terms, now)).toMatchObject({ target: { on: 'evm', network: 'evm:137' } });
});

test('a record is refused for every field that is changed', () => {
  const isFree = (field: string): boolean => free.some((one) => one.field === field);
  const changes = Object.keys(arkadeEvmRecord.shape)
    .filter((field) => !isFree(field))
    .flatMap((field) => changesOf(field).map((value) => ({ field, value })));
  expect([
    changes.filter(({ field, value }) => isAccepted({ ...record, [field]: value })),
    changes.length > 150,
  ]).toEqual([[], true]);
});

test('a record is refused for every field that is missing', () => {
  const needed = Object.keys(arkadeEvmRecord.shape).filter((field) => !(field in added));
  const without = (field: string) => Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
  expect(needed.filter((field) => isAccepted(without(field)))).toEqual([]);
});

test('it may say anything only where a reason is written down, and there not everything', () => {
  const all = free.flatMap(({ field, values }) => values().map((value) => ({ field, value })));
  expect(all.filter(({ field, value }) => !isAccepted({ ...record, [field]: value }))).toEqual([]);
  const own = String(record['client_evm_address']);
  const wrong = [
    { server_evm_address: `0x${'00'.repeat(20)}` },
    { server_evm_address: own },
    { server_evm_address: record['evm_coordinator_address'] },
    { evm_refund_locktime: now.wall + 60 },
    { evm_refund_locktime: Number(record['vhtlc_refund_locktime']) },
    { id: '' },
    { id: 'x'.repeat(101) },
  ];
  expect(wrong.filter((change) => isAccepted({ ...record, ...change }))).toEqual([]);
});

test('nothing is accepted for less than was agreed, or while the chain of the lock cannot be read', () => {
  const judge = (change: Partial<TakeArkadeEvmTerms>, at: Clocks = now) =>
    isRefusal(verifyArkadeEvm(record, { ...terms, ...change }, at));
  const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
  expect([
    judge({ targetAmount: terms.targetAmount + 1n }),
    judge({ sourceAmount: sats(terms.sourceAmount - 1n) }),
    judge({ pairs: [] }),
    judge({}, unread as Clocks),
  ]).toEqual([true, true, true, true]);
});
