import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { evmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { checksummed } from '../../engine/domain/evm-address.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import { published } from '../../engine/legs/evm/deployments.ts';
import type { TakeEvmLightningTerms } from './taken.ts';
import { takenEvmLightning } from '../../engine/taker/directions/evm-lightning.ts';
import { evmOffer, type EvmOffer } from './evm-record.ts';
import { addedOnEvmSource, freeOnEvmSource, mutations, passing, renamed, unmissed, type Json } from './mutations.ts';

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused.
 */

let offer: EvmOffer<TakeEvmLightningTerms>;

beforeAll(async () => {
  offer = await evmOffer((world) => ({
    direction: 'evm-lightning',
    amount: sats(50_000),
    invoice: world.invoice(50_000n).bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
  }));
});

afterAll(() => offer.stop());

const judge = (record: unknown) => takenEvmLightning.verify(record, offer.terms, offer.now, decodeInvoice);
const isAccepted = (change: Json): boolean => !isRefusal(judge({ ...offer.record, ...change }));

/** What may say something else within its bounds, and why that costs nobody anything. */
const bounded = ['server_evm_address', 'evm_refund_locktime', 'evm_funding_confirmations'];
const freeHere = () =>
  freeOnEvmSource(
    offer.record,
    'whoever can take the lock needs the preimage, which the payee alone gives, for the payment',
  );
const added: Json = {
  ...addedOnEvmSource,
  bridge_source_chain: 'Base',
  bridge_source_token_address: `0x${'ab'.repeat(20)}`,
};
const fields = Object.keys(evmLightningRecord.shape);

test('an honest record is accepted', () => {
  expect(judge(offer.record)).toMatchObject({ source: { on: 'evm', network: 'evm:137' } });
});

test('a record is refused for every field that is changed', () => {
  const changes = mutations(
    offer.record,
    fields.filter((field) => !bounded.includes(field)),
    added,
  );
  expect([passing(judge, offer.record, changes), changes.length > 120]).toEqual([[], true]);
});

test('a record is refused for every field that is missing', () => {
  expect(unmissed(judge, offer.record, fields, added)).toEqual([]);
});

test('fault 344, evm: no record is accepted whose lock the provider could take without the secret', () => {
  const open = published.filter(({ openToClaimer }) => openToClaimer);
  const pairs = open.map(({ htlc, coordinator, version }) => ({
    evm_htlc_address: checksummed(htlc),
    evm_coordinator_address: checksummed(coordinator),
    evm_htlc_version: Number(version),
  }));
  expect([pairs.map(({ evm_htlc_version }) => evm_htlc_version), pairs.filter(isAccepted)]).toEqual([[3, 4], []]);
});

test('it may say anything only where a reason is written down, and there not everything', () => {
  const { record, terms, now } = offer;
  const free = [...freeHere(), ...renamed(record)];
  const wrong: Json[] = [
    { server_evm_address: `0x${'00'.repeat(20)}` },
    { server_evm_address: record['client_evm_address'] },
    { server_evm_address: record['evm_coordinator_address'] },
    { evm_refund_locktime: now.wall - 60 },
    { evm_refund_locktime: now.wall + terms.policy.longestLeg + 60 },
    { id: '' },
    { id: 'x'.repeat(101) },
  ];
  expect([passing(judge, record, free), wrong.filter(isAccepted)]).toEqual([free, []]);
});

test('nothing is accepted for more than was agreed, another invoice, or while the chain cannot be read', () => {
  const { record, terms, now } = offer;
  const refuses = (change: Partial<TakeEvmLightningTerms>, at: Clocks = now) =>
    isRefusal(takenEvmLightning.verify(record, { ...terms, ...change }, at, decodeInvoice));
  const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
  expect([
    refuses({ sourceAmount: terms.sourceAmount - 1n }),
    refuses({ targetAmount: sats(terms.targetAmount + 1n) }),
    refuses({ bolt11: `${terms.bolt11}x` }),
    refuses({ pairs: [] }),
    refuses({}, unread as Clocks),
  ]).toEqual([true, true, true, true, true]);
});
