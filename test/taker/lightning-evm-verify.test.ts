import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import places from '../../resources/sandbox/evm-places.json' with { type: 'json' };
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { lightningEvmRecord } from '../../engine/contract/directions/lightning-evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import type { Bolt11, DecodeInvoice } from '../../engine/legs/lightning/invoice.ts';
import type { TakeLightningEvmTerms } from './taken.ts';
import { takenLightningEvm } from '../../engine/taker/directions/lightning-evm.ts';
import { evmOffer, type EvmOffer } from './evm-record.ts';
import {
  addedOnEvm,
  freeEverywhere,
  mutations,
  passing,
  renamed,
  unmissed,
  type Free,
  type Json,
} from './mutations.ts';

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused.
 */

const usdc =
  places[137].tokens
    .find(({ symbol }) => symbol === 'USDC')
    ?.address.slice(2)
    .toLowerCase() ?? '';

/* What the lock holds is wanted, or a token that an exchange makes of it. */
describe.each([
  ['the token of the lock', null],
  ['a token of the exchange', asEvmAddress(fromHex(usdc))],
] as const)('%s', (_, token) => {
  let offer: EvmOffer<TakeLightningEvmTerms>;

  beforeAll(async () => {
    const destination = asEvmAddress(new Uint8Array(20).fill(0x11));
    offer = await evmOffer(() => ({
      direction: 'lightning-evm',
      amount: sats(50_000),
      invoice: null,
      evm: { chainId: 137, token, destination, gasless: true },
    }));
  });

  afterAll(() => offer.stop());

  const judge = (record: unknown) => takenLightningEvm.verify(record, offer.terms, offer.now, decodeInvoice);
  const isAccepted = (change: Json): boolean => !isRefusal(judge({ ...offer.record, ...change }));

  /** What may say something else, and why that costs nobody anything. */
  const bounded = ['server_evm_address', 'evm_refund_locktime', ...(token === null ? [] : ['target_amount'])];
  const freeHere = (): readonly Free[] => [
    ...freeEverywhere,
    {
      field: 'server_evm_address',
      value: `0x${'77'.repeat(20)}`,
      why: 'whoever locks is refunded: only a lock that names this very account is claimed',
    },
    ...[1, -512].map((by) => ({
      field: 'evm_refund_locktime',
      value: Number(offer.record['evm_refund_locktime']) + by,
      why: 'within its bounds it is for the provider to say: only a lock with this very timelock is claimed',
    })),
  ];
  const added: Json = {
    ...addedOnEvm,
    bridge_target_chain: 'Base',
    bridge_target_token_address: `0x${'ab'.repeat(20)}`,
  };
  const fields = Object.keys(lightningEvmRecord.shape);

  test('an honest record is accepted', () => {
    expect(judge(offer.record)).toMatchObject({
      source: { on: 'lightning', amount: 50_000n, bolt11: offer.record['bolt11_invoice'] },
      target: { on: 'evm', network: 'evm:137' },
    });
  });

  test('a record is refused for every field that is changed', () => {
    const changes = mutations(
      offer.record,
      fields.filter((field) => !bounded.includes(field)),
      added,
    );
    expect([passing(judge, offer.record, changes), changes.length > 100]).toEqual([[], true]);
  });

  test('a record is refused for every field that is missing, but for what its invoice says', () => {
    expect(unmissed(judge, offer.record, fields, added)).toEqual(['invoice_expires_at']);
  });

  test('it may say anything only where a reason is written down, and there not everything', () => {
    const { record, now, terms } = offer;
    const free = [...freeHere(), ...renamed(record)];
    const own = String(record['client_evm_address']);
    const expiry = Number(record['invoice_expires_at']);
    const wrong: Json[] = [
      { server_evm_address: `0x${'00'.repeat(20)}` },
      { server_evm_address: own },
      { server_evm_address: record['evm_coordinator_address'] },
      { evm_refund_locktime: now.wall + 60 },
      // Paid in the last moment, too little time would be left to claim.
      { evm_refund_locktime: expiry + terms.policy.leastClaimTime - 1 },
      { evm_refund_locktime: now.wall + terms.policy.longestLeg + 1 },
      { id: '' },
    ];
    expect([passing(judge, record, free), wrong.filter(isAccepted)]).toEqual([free, []]);
  });

  test('an invoice is refused that we could not be paid for, or that holds a payment for too long', () => {
    const change =
      (of: Partial<Bolt11>): DecodeInvoice =>
      (text) => {
        const invoice = decodeInvoice(text);
        return isRefusal(invoice) ? invoice : { ...invoice, ...of };
      };
    const wrong: Partial<Bolt11>[] = [
      { hash: asSha256(new Uint8Array(32).fill(1)) },
      { network: 'mainnet' },
      { description: 'Another' },
      { expiresAt: unix(offer.now.wall + 30) },
      { finalCltv: 10_000 },
      { hasFallback: true },
    ];
    const { record, terms, now } = offer;
    const refusals = wrong.map((of) => isRefusal(takenLightningEvm.verify(record, terms, now, change(of))));
    expect(refusals).toEqual(wrong.map(() => true));
  });

  test('nothing is accepted for less than was agreed, or while the chain of the lock cannot be read', () => {
    const { record, terms, now } = offer;
    const refuses = (change: Partial<TakeLightningEvmTerms>, at: Clocks = now) =>
      isRefusal(takenLightningEvm.verify(record, { ...terms, ...change }, at, decodeInvoice));
    const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
    const { exchange, policy } = terms;
    expect([
      refuses({}),
      refuses(
        exchange === undefined
          ? { targetAmount: terms.targetAmount + 1n }
          : { exchange: { ...exchange, mostFees: sats(exchange.mostFees - 1n) } },
      ),
      refuses({ sourceAmount: sats(terms.sourceAmount - 1n) }),
      refuses({ pairs: [] }),
      refuses({ policy: { ...policy, leastClaimTime: seconds(50_000) } }),
      refuses({}, unread as Clocks),
    ]).toEqual([false, true, true, true, true, true]);
  });
});
