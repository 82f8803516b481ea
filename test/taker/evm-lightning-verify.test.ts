import { afterAll, beforeAll, expect, test } from 'vitest';
import { evmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import type { TakeEvmLightningTerms } from '../../engine/taker/evm-lightning/terms.ts';
import { verifyEvmLightning } from '../../engine/taker/evm-lightning/verify.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { freeEverywhere, freeNames, mutations, type Free, type Json } from './mutations.ts';
import { startPair, type Pair } from './pair.ts';

/* The record of a real provider with every field changed: what may say anything is listed with its reason, all else is refused. */

let pair: Pair;
let chain: EvmWorld;
let record: Json;
let terms: TakeEvmLightningTerms;
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
  const created = await pair.taker.taker.create({
    direction: 'evm-lightning',
    amount: sats(50_000),
    invoice: world.invoice(50_000n).bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  terms = pair.taker.runtime.workingSet.find(created.id)?.row.terms as TakeEvmLightningTerms;
  now = pair.taker.runtime.clock.now();
}, 60_000);

afterAll(async () => {
  await pair.stop();
  await chain.stop();
});

const isAccepted = (change: Json): boolean => !isRefusal(verifyEvmLightning({ ...record, ...change }, terms, now));

/** What may say something else within its bounds, and why that costs nobody anything. */
const bounded = ['server_evm_address', 'evm_refund_locktime', 'evm_funding_confirmations'];
const free = (): readonly Free[] => [
  ...freeEverywhere,
  {
    field: 'server_evm_address',
    value: `0x${'77'.repeat(20)}`,
    why: 'whoever can take the lock needs the preimage, which the payee alone gives, for the payment',
  },
  {
    field: 'evm_refund_locktime',
    value: Number(record['evm_refund_locktime']) - 512,
    why: 'within its bounds it is for the provider to say: the earlier, the sooner the tokens are back',
  },
  {
    field: 'evm_funding_confirmations',
    value: 513,
    why: 'the provider waits for them before it pays: one that waits too long does not pay, and the tokens come back',
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
  bridge_source_chain: 'Base',
  bridge_source_token_address: `0x${'ab'.repeat(20)}`,
};
const fields = Object.keys(evmLightningRecord.shape);

test('an honest record is accepted', () => {
  expect(verifyEvmLightning(record, terms, now)).toMatchObject({ source: { on: 'evm', network: 'evm:137' } });
});

test('a record is refused for every field that is changed', () => {
  const changes = mutations(
    record,
    fields.filter((field) => !bounded.includes(field)),
    added,
  );
  expect([changes.filter(({ field, value }) => isAccepted({ [field]: value })), changes.length > 120]).toEqual([
    [],
    true,
  ]);
});

test('a record is refused for every field that is missing', () => {
  const needed = fields.filter((field) => !(field in added));
  const without = (field: string) => Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
  expect(needed.filter((field) => !isRefusal(verifyEvmLightning(without(field), terms, now)))).toEqual([]);
});

test('it may say anything only where a reason is written down, and there not everything', () => {
  const names = freeNames.map(({ field, value }) => ({
    field: 'source_token',
    value: { ...(record['source_token'] as Json), [field]: value },
  }));
  const wrong: Json[] = [
    { server_evm_address: `0x${'00'.repeat(20)}` },
    { server_evm_address: record['client_evm_address'] },
    { server_evm_address: record['evm_coordinator_address'] },
    { evm_refund_locktime: now.wall - 60 },
    { evm_refund_locktime: now.wall + terms.policy.longestLeg + 60 },
    { id: '' },
    { id: 'x'.repeat(101) },
  ];
  expect([
    [...free(), ...names].filter(({ field, value }) => !isAccepted({ [field]: value })),
    wrong.filter(isAccepted),
  ]).toEqual([[], []]);
});

test('nothing is accepted for more than was agreed, another invoice, or while the chain cannot be read', () => {
  const judge = (change: Partial<TakeEvmLightningTerms>, at: Clocks = now) =>
    isRefusal(verifyEvmLightning(record, { ...terms, ...change }, at));
  const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
  expect([
    judge({ sourceAmount: terms.sourceAmount - 1n }),
    judge({ targetAmount: sats(terms.targetAmount + 1n) }),
    judge({ bolt11: `${terms.bolt11}x` }),
    judge({ pairs: [] }),
    judge({}, unread as Clocks),
  ]).toEqual([true, true, true, true, true]);
});
