import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import places from '../../resources/sandbox/evm-places.json' with { type: 'json' };
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { bitcoinEvmRecord } from '../../engine/contract/directions/bitcoin-evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import { htlcAddress, type TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeBitcoinEvmTerms } from './taken.ts';
import { takenBitcoinEvm } from '../../engine/taker/directions/bitcoin-evm.ts';
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
  let offer: EvmOffer<TakeBitcoinEvmTerms>;

  beforeAll(async () => {
    const destination = asEvmAddress(new Uint8Array(20).fill(0x11));
    offer = await evmOffer(() => ({
      direction: 'bitcoin-evm',
      amount: sats(50_000),
      invoice: null,
      evm: { chainId: 137, token, destination, gasless: true },
    }));
  });

  afterAll(() => offer.stop());

  const judge = (record: unknown) => takenBitcoinEvm.verify(record, offer.terms, offer.now, decodeInvoice);
  const isAccepted = (change: Json): boolean => !isRefusal(judge({ ...offer.record, ...change }));

  /** The record with another HTLC, whose address agrees with it. */
  function withHtlc(change: Json, of: Partial<TimeHtlcTerms> = {}): Json {
    const { record, terms } = offer;
    const changed = { ...record, ...change };
    const htlc: TimeHtlcTerms = {
      form: 'p2tr',
      hash: hash160OfSha256(terms.hash),
      claimer: asPublicKey(Uint8Array.of(2, ...fromHex(String(changed['btc_server_pk'])))),
      refunder: terms.key,
      refundLocktime: unix(Number(changed['btc_refund_locktime'])),
      ...of,
    };
    return { ...changed, btc_htlc_address: htlcAddress(htlc, terms.network) };
  }

  /** What may say something else, and why that costs nobody anything. */
  const bounded = ['server_evm_address', 'evm_refund_locktime', ...(token === null ? [] : ['target_amount'])];
  const freeHere = (): readonly Free[] => [
    ...freeEverywhere,
    {
      field: 'server_evm_address',
      value: `0x${'77'.repeat(20)}`,
      why: 'whoever locks is refunded: only a lock that names this very account is claimed',
    },
    {
      field: 'evm_refund_locktime',
      value: Number(offer.record['evm_refund_locktime']) - 512,
      why: 'within its bounds it is for the provider to say: only a lock with this very timelock is claimed',
    },
    { field: 'btc_server_pk', value: `02${String(offer.record['btc_server_pk'])}`, why: 'a script has its x alone' },
    { field: 'btc_funding_confirmations', value: 3, why: 'within its bounds it is for the provider to say' },
  ];
  const added: Json = {
    ...addedOnEvm,
    bridge_target_chain: 'Base',
    bridge_target_token_address: `0x${'ab'.repeat(20)}`,
    btc_funding_confirmations: 7,
  };
  const fields = Object.keys(bitcoinEvmRecord.shape);

  test('an honest record is accepted', () => {
    expect(judge(offer.record)).toMatchObject({
      source: { on: 'bitcoin', amount: 50_000n, address: offer.record['btc_htlc_address'], htlc: { form: 'p2tr' } },
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

  test('a record is refused for every field that is missing', () => {
    expect(unmissed(judge, offer.record, fields, added)).toEqual([]);
  });

  test('it may say anything only where a reason is written down, and there not everything', () => {
    const { record, now, terms } = offer;
    const free = [...freeHere(), ...renamed(record)];
    const own = String(record['client_evm_address']);
    const wrong: Json[] = [
      { server_evm_address: `0x${'00'.repeat(20)}` },
      { server_evm_address: own },
      { server_evm_address: record['evm_coordinator_address'] },
      { evm_refund_locktime: now.wall + 60 },
      // Paid in the last moment, and mined, too little time would be left to claim.
      { evm_refund_locktime: now.wall + terms.policy.fundingWindow + terms.policy.leastClaimTime - 120 },
      { btc_funding_confirmations: 20 },
      { id: '' },
    ];
    expect([passing(judge, record, free), wrong.filter(isAccepted)]).toEqual([free, []]);
  });

  test('an HTLC that agrees with its record is refused for what it asks of us', () => {
    const { record, now, terms } = offer;
    const lock = Number(record['evm_refund_locktime']);
    expect(isRefusal(judge(withHtlc({})))).toBe(false);
    const other = asPublicKey(Uint8Array.of(2, ...fromHex(String(record['btc_server_pk']))));
    const wrong: Json[] = [
      // Both legs would be the provider's, or ours.
      withHtlc({ btc_refund_locktime: lock }),
      withHtlc({ btc_refund_locktime: now.wall + terms.policy.longestLeg + 3_600 }),
      withHtlc({}, { refunder: other }),
      withHtlc({}, { form: 'p2wsh' }),
      withHtlc({ btc_hash_lock: 'ab'.repeat(20) }),
      withHtlc({ evm_hash_lock: `0x${toHex(terms.hash).slice(0, 62)}00` }),
      withHtlc({ btc_htlc_script_version: 2 }),
    ];
    expect(wrong.filter((one) => !isRefusal(judge(one)))).toEqual([]);
  });

  test('nothing is accepted for less than was agreed, or while a chain cannot be read', () => {
    const { record, terms, now } = offer;
    const refuses = (change: Partial<TakeBitcoinEvmTerms>, at: Clocks = now) =>
      isRefusal(takenBitcoinEvm.verify(record, { ...terms, ...change }, at, decodeInvoice));
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
      refuses({ policy: { ...policy, fundingWindow: seconds(50_000) } }),
      refuses({}, unread as Clocks),
      refuses({}, { ...now, bitcoin: { mtp: null, height: null } }),
    ]).toEqual([false, true, true, true, true, true, true, true]);
  });
});
