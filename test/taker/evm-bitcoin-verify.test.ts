import type { z } from 'zod';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { evmBitcoinRecord } from '../../engine/contract/directions/evm-bitcoin.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import { htlcAddress } from '../../engine/legs/onchain/htlc.ts';
import { claimUntil } from '../../engine/legs/timelocks.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeEvmBitcoinTerms } from './taken.ts';
import { takenEvmBitcoin } from '../../engine/taker/directions/evm-bitcoin.ts';
import { evmOffer, type EvmOffer } from './evm-record.ts';
import { addedOnEvmSource, freeOnEvmSource, mutations, passing, renamed, unmissed, type Json } from './mutations.ts';

type EvmBitcoinRecord = z.infer<typeof evmBitcoinRecord>;

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused.
 */

let offer: EvmOffer<TakeEvmBitcoinTerms>;

beforeAll(async () => {
  offer = await evmOffer(() => ({
    direction: 'evm-bitcoin',
    amount: sats(50_000),
    invoice: null,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
  }));
}, 60_000);

afterAll(() => offer.stop());

const judge = (record: unknown) => takenEvmBitcoin.verify(record, offer.terms, offer.now, decodeInvoice);
const isAccepted = (change: Json): boolean => !isRefusal(judge({ ...offer.record, ...change }));

/**
 * The record with other terms of its HTLC, and the address that those really have: nothing in it contradicts itself.
 */
function consistent(change: Partial<EvmBitcoinRecord>): Json {
  const record = { ...(offer.record as unknown as EvmBitcoinRecord), ...change };
  const even = (key: string) => asPublicKey(Uint8Array.of(2, ...fromHex(key)));
  const { terms } = offer;
  const address = htlcAddress(
    {
      form: 'p2tr',
      hash: hash160OfSha256(terms.hash),
      claimer: even(record.btc_user_claim_pk),
      refunder: even(record.btc_server_refund_pk),
      refundLocktime: unix(record.btc_refund_locktime),
    },
    terms.network,
  );
  return { ...record, btc_htlc_address: address };
}

/** What may say something else within its bounds, and why that costs nobody anything. */
const bounded = ['server_evm_address', 'evm_refund_locktime', 'evm_funding_confirmations'];
const freeHere = () =>
  freeOnEvmSource(offer.record, 'whoever can take the lock needs the secret, which is shown for the bitcoin alone');
const added: Json = {
  ...addedOnEvmSource,
  btc_fund_vout: 0,
  target_btc_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  bridge_source_chain: 'Base',
  bridge_source_token_address: `0x${'ab'.repeat(20)}`,
};
const fields = Object.keys(evmBitcoinRecord.shape);

test('an honest record is accepted, and what is paid is the script of its own terms', () => {
  expect(judge(offer.record)).toMatchObject({
    source: { on: 'evm', network: 'evm:137' },
    target: { on: 'bitcoin', address: offer.record['btc_htlc_address'], amount: 50_000n },
  });
});

test('a record is refused for every field that is changed', () => {
  const changes = mutations(
    offer.record,
    fields.filter((field) => !bounded.includes(field)),
    added,
  );
  expect([passing(judge, offer.record, changes), changes.length > 150]).toEqual([[], true]);
});

test('a record is refused for every field that is missing', () => {
  expect(unmissed(judge, offer.record, fields, added)).toEqual([]);
});

test('it may say anything only where a reason is written down, and there not everything', () => {
  const { record, terms, now } = offer;
  const free = [...freeHere(), ...renamed(record)];
  const wrong: Json[] = [
    { server_evm_address: `0x${'00'.repeat(20)}` },
    { server_evm_address: record['client_evm_address'] },
    { server_evm_address: record['evm_coordinator_address'] },
    { evm_refund_locktime: now.wall - 60 },
    { evm_refund_locktime: Number(record['btc_refund_locktime']) },
    { evm_refund_locktime: now.wall + terms.policy.longestLeg + 7_200 },
    { id: '' },
    { id: 'x'.repeat(101) },
  ];
  expect([passing(judge, record, free), wrong.filter(isAccepted)]).toEqual([free, []]);
});

test('a record that agrees with itself is refused for whose its coin is, and for how long', () => {
  const { now, record } = offer;
  const lock = Number(record['btc_refund_locktime']);
  /** The generator of secp256k1: a key that everybody has. */
  const stranger = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const reason = (change: Partial<EvmBitcoinRecord>): string => {
    const verdict = judge(consistent(change));
    return isRefusal(verdict) ? verdict.sentence : 'accepted';
  };
  expect([
    reason({}),
    reason({ btc_server_refund_pk: stranger }),
    reason({ btc_user_claim_pk: stranger }),
    reason({ btc_server_refund_pk: 'ff'.repeat(32) }),
    reason({ btc_refund_locktime: now.wall + 3 * 3_600 }),
    reason({ btc_refund_locktime: 500_000_000 }),
    reason({ evm_refund_locktime: lock - 1 }),
  ]).toEqual([
    'accepted',
    'accepted', // whose key takes it back is for the provider to say
    expect.stringContaining('its claim key is not ours'),
    expect.stringContaining('its refund key is not a point of the curve'),
    expect.stringContaining('its bitcoin can be taken back at'),
    expect.stringContaining('its bitcoin can be taken back at'),
    expect.stringContaining('before its bitcoin could be taken back'),
  ]);
});

test('tokens are locked only where the bitcoin can still be claimed by the rule of the claim', () => {
  const { now, terms } = offer;
  const { mtp } = now.bitcoin;
  const { mtpLag, margin, fundingWindow, leastClaimTime } = terms.policy;
  const least = mtp! + fundingWindow + leastClaimTime + mtpLag + margin;
  const accepts = (lock: number) => !isRefusal(judge(consistent({ btc_refund_locktime: lock })));
  expect([least - claimUntil(unix(least), terms.policy), accepts(least), accepts(least - 1)]).toEqual([
    mtpLag + margin,
    true,
    false,
  ]);
});

test('nothing is accepted for more than was agreed, or while a chain cannot be read', () => {
  const { record, terms, now } = offer;
  const refuses = (change: Partial<TakeEvmBitcoinTerms>, at: Clocks = now) =>
    isRefusal(takenEvmBitcoin.verify(record, { ...terms, ...change }, at, decodeInvoice));
  const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
  expect([
    refuses({ sourceAmount: terms.sourceAmount - 1n }),
    refuses({ targetAmount: sats(terms.targetAmount + 1n) }),
    refuses({ pairs: [] }),
    refuses({}, unread as Clocks),
    refuses({}, { ...now, bitcoin: { mtp: null, height: null } }),
  ]).toEqual([true, true, true, true, true]);
});
