import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { evmArkadeRecord, type EvmArkadeRecord } from '../../engine/contract/directions/evm-arkade.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asXOnly } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import { encodeArkadeAddress } from '../../engine/legs/arkade/address.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { revealUntil } from '../../engine/legs/timelocks.ts';
import type { TakeEvmArkadeTerms } from './taken.ts';
import { takenEvmArkade } from '../../engine/taker/directions/evm-arkade.ts';
import { evmOffer, type EvmOffer } from './evm-record.ts';
import {
  addedOnEvmSource,
  freeOnEvmSource,
  mutations,
  parity,
  passing,
  renamed,
  unmissed,
  type Json,
} from './mutations.ts';

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused.
 */

let offer: EvmOffer<TakeEvmArkadeTerms>;

beforeAll(async () => {
  offer = await evmOffer(() => ({
    direction: 'evm-arkade',
    amount: sats(50_000),
    invoice: null,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
  }));
}, 60_000);

afterAll(() => offer.stop());

const judge = (record: unknown) => takenEvmArkade.verify(record, offer.terms, offer.now, decodeInvoice);
const isAccepted = (change: Json): boolean => !isRefusal(judge({ ...offer.record, ...change }));

/**
 * The record with other terms of its VHTLC, and the address that those really have: nothing in it contradicts itself.
 */
function consistent(change: Partial<EvmArkadeRecord>): Json {
  const record = { ...(offer.record as unknown as EvmArkadeRecord), ...change };
  const key = (text: string) => asXOnly(fromHex(text.slice(-64)));
  const operator = key(record.arkade_server_pk);
  const { outputKey } = vhtlcScript({
    sender: key(record.sender_pk),
    receiver: key(record.receiver_pk),
    operator,
    hash: hash160OfSha256(offer.terms.hash),
    refundLocktime: unix(record.vhtlc_refund_locktime),
    claimDelay: seconds(record.unilateral_claim_delay),
    refundDelay: seconds(record.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
  });
  return { ...record, btc_vhtlc_address: encodeArkadeAddress({ prefix: 'tark', operator, outputKey }) };
}

/** What may say something else within its bounds, and why that costs nobody anything. */
const bounded = ['server_evm_address', 'evm_refund_locktime', 'evm_funding_confirmations'];
const freeHere = () => [
  ...freeOnEvmSource(offer.record, 'whoever can take the lock needs the secret, which is shown for the VHTLC alone'),
  parity(offer.record, 'sender_pk'),
  parity(offer.record, 'arkade_server_pk'),
];
const added: Json = {
  ...addedOnEvmSource,
  bridge_source_chain: 'Base',
  bridge_source_token_address: `0x${'ab'.repeat(20)}`,
};
const fields = Object.keys(evmArkadeRecord.shape);

test('an honest record is accepted, and what is claimed is the script of its own terms', () => {
  expect(judge(offer.record)).toMatchObject({
    source: { on: 'evm', network: 'evm:137' },
    target: { on: 'arkade', address: offer.record['btc_vhtlc_address'], amount: 50_000n },
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

test('facts/clients.md 45: a record is refused for each field that is missing, except the token', () => {
  expect(unmissed(judge, offer.record, fields, added)).toEqual(['wbtc_address']);
  const { wbtc_address: _, ...record } = offer.record;
  expect(judge(record)).toEqual(judge(offer.record));
});

test('it may say anything only where a reason is written down, and there not everything', () => {
  const { record, terms, now } = offer;
  const free = [...freeHere(), ...renamed(record)];
  const wrong: Json[] = [
    { server_evm_address: `0x${'00'.repeat(20)}` },
    { server_evm_address: record['client_evm_address'] },
    { server_evm_address: record['evm_coordinator_address'] },
    { evm_refund_locktime: now.wall - 60 },
    { evm_refund_locktime: Number(record['vhtlc_refund_locktime']) },
    { evm_refund_locktime: now.wall + terms.policy.longestLeg + 7_200 },
    { id: '' },
    { id: 'x'.repeat(101) },
  ];
  expect([passing(judge, record, free), wrong.filter(isAccepted)]).toEqual([free, []]);
});

/** The generator of secp256k1: a key that everybody has. */
const stranger = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

test('a record that agrees with itself is refused for whose its VHTLC is, and for how long', () => {
  const { now, record } = offer;
  const lock = Number(record['vhtlc_refund_locktime']);
  const claim = Number(record['unilateral_claim_delay']);
  const reason = (change: Partial<EvmArkadeRecord>): string => {
    const verdict = judge(consistent(change));
    return isRefusal(verdict) ? verdict.sentence : 'accepted';
  };
  expect([
    reason({}),
    reason({ sender_pk: stranger }),
    reason({ receiver_pk: stranger }),
    reason({ arkade_server_pk: stranger }),
    reason({ sender_pk: `02${'ff'.repeat(32)}` }),
    reason({ vhtlc_refund_locktime: now.wall + 3 * 3_600 }),
    reason({ evm_refund_locktime: lock - 1 }),
    reason({ unilateral_refund_delay: claim, unilateral_refund_without_receiver_delay: claim }),
  ]).toEqual([
    'accepted',
    'accepted', // whose key takes it back is for the provider to say
    expect.stringContaining('its claim key is not ours'),
    expect.stringContaining('it names another Arkade operator than ours'),
    expect.stringContaining('its key is not a point of the curve'),
    expect.stringContaining('its VHTLC can be taken back at'),
    expect.stringContaining('before its VHTLC could be taken back'),
    expect.stringContaining('its sender could leave the VHTLC 0 seconds after we can'),
  ]);
});

test('tokens are locked only where the VHTLC can still be claimed by the rule of the claim', () => {
  const { now, terms } = offer;
  const { mtp } = now.bitcoin;
  const { mtpLag, fundingWindow, leastClaimTime } = terms.policy;
  const least = mtp! + fundingWindow + leastClaimTime + mtpLag;
  const accepts = (lock: number) => !isRefusal(judge(consistent({ vhtlc_refund_locktime: lock })));
  expect([accepts(least), accepts(least - 1)]).toEqual([true, false]);
  expect(revealUntil(unix(least), terms.policy)).toBeGreaterThan(mtp! + fundingWindow);
});

test('nothing is accepted for more than was agreed, or while a chain cannot be read', () => {
  const { record, terms, now } = offer;
  const refuses = (change: Partial<TakeEvmArkadeTerms>, at: Clocks = now) =>
    isRefusal(takenEvmArkade.verify(record, { ...terms, ...change }, at, decodeInvoice));
  const { 'evm:137': _unread, ...unread } = now as Clocks & { 'evm:137': unknown };
  expect([
    refuses({ sourceAmount: terms.sourceAmount - 1n }),
    refuses({ targetAmount: sats(terms.targetAmount + 1n) }),
    refuses({ targetAddress: 'tark1another' }),
    refuses({ pairs: [] }),
    refuses({}, unread as Clocks),
    refuses({}, { ...now, bitcoin: { mtp: null, height: null } }),
  ]).toEqual([true, true, true, true, true, true]);
});
