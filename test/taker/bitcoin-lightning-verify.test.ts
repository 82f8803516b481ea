import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { bitcoinLightningRecord } from '../../engine/contract/directions/bitcoin-lightning.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Clocks } from '../../engine/domain/time.ts';
import { htlcAddress, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeBitcoinLightningTerms } from './taken.ts';
import { takenBitcoinLightning } from '../../engine/taker/directions/bitcoin-lightning.ts';
import { freeEverywhere, mutations, passing, renamed, unmissed, type Free, type Json } from './mutations.ts';
import { startPair, type Pair } from './pair.ts';

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused. Then records whose parts agree with each other, for what they ask of us.
 */

let pair: Pair;
let record: Json = {};
let terms: TakeBitcoinLightningTerms;
let now: Clocks;

beforeAll(async () => {
  pair = await startPair({ taker: { bitcoinWallet: true }, provider: { bitcoinWallet: true } });
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (created.is === 'created') record = created.record as Json;
    return created;
  };
  const created = await pair.taker.taker.create({
    direction: 'bitcoin-lightning',
    amount: sats(80_000),
    invoice: pair.world.invoice(80_000n).bolt11,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  terms = pair.taker.runtime.workingSet.find(created.id)?.row.terms as TakeBitcoinLightningTerms;
  now = pair.taker.runtime.clock.now();
});

afterAll(() => pair.stop());

const judge = (of: unknown, change: Partial<TakeBitcoinLightningTerms> = {}, at: Clocks = now) =>
  takenBitcoinLightning.verify(of, { ...terms, ...change }, at, decodeInvoice);
const added: Json = {
  surplus_amount: '1',
  btc_fund_txid: 'ab'.repeat(32),
  btc_claim_txid: 'ab'.repeat(32),
};
const fields = Object.keys(bitcoinLightningRecord.shape);

/** What may be another, and why. */
const patient: Free = {
  field: 'btc_funding_confirmations',
  value: 2,
  why: 'it may wait for as many as six: how long that is we reckon with, and the refund needs nobody',
};

/** With another end or key of the provider's, and the address that they make. */
function agreeing(change: Partial<MusigHtlcTerms>): Json {
  const htlc: MusigHtlcTerms = {
    form: 'musig',
    hash: hash160OfSha256(terms.hash),
    claimer: asPublicKey(fromHex(String(record['btc_server_claim_pk']))),
    refunder: terms.key,
    provider: 'claimer',
    sizeGuard: false,
    refundHeight: Number(record['btc_refund_locktime']),
    ...change,
  };
  return { ...record, btc_refund_locktime: htlc.refundHeight, btc_htlc_address: htlcAddress(htlc, 'regtest') };
}

describe('bitcoin-lightning: what a provider says', () => {
  test('an honest record is accepted', () => {
    expect(judge(record)).toMatchObject({
      source: { on: 'bitcoin', htlc: { form: 'musig', provider: 'claimer', sizeGuard: false } },
      target: { on: 'lightning', amount: 80_000n, bolt11: terms.bolt11 },
    });
  });

  test('a record is refused for every field that is changed, the sign of a key as well', () => {
    const changes = mutations(record, fields, added).filter(
      ({ field, value }) => field !== patient.field || value !== patient.value,
    );
    expect([passing(judge, record, changes), changes.length > 80]).toEqual([[], true]);
    const key = String(record['btc_server_claim_pk']);
    const other = `${key.startsWith('02') ? '03' : '02'}${key.slice(2)}`;
    expect(isRefusal(judge({ ...record, btc_server_claim_pk: other }))).toBe(true);
  });

  test('a record is refused for every field that is missing', () => {
    expect(unmissed(judge, record, fields, added)).toEqual([]);
  });

  test('it may say anything only where a reason is written down', () => {
    const free = [...freeEverywhere, ...renamed(record), patient];
    expect(passing(judge, record, free)).toEqual(free);
  });

  test('our coin must be ours again in bounded time, and not before it can be paid for', () => {
    const tip = now.bitcoin.height ?? 0;
    const most = tip + Math.ceil(terms.policy.longestLeg / 600);
    const at = (refundHeight: number) => isRefusal(judge(agreeing({ refundHeight })));
    expect([tip, most, most + 1].map(at)).toEqual([true, false, true]);
  });

  test('an address of other conditions is refused, whoever would hold what key', () => {
    const generator = asPublicKey(fromHex(`02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`));
    const wrong: Partial<MusigHtlcTerms>[] = [{ sizeGuard: true }, { provider: 'refunder' }, { refunder: generator }];
    expect(wrong.map((change) => isRefusal(judge(agreeing(change))))).toEqual(wrong.map(() => true));
  });

  test('nothing is paid more than was agreed, for another invoice, or while the chain cannot be read', () => {
    const unread: Clocks = { ...now, bitcoin: { mtp: null, height: null } };
    const other = pair.world.invoice(80_000n).bolt11;
    expect([
      isRefusal(judge(record, { sourceAmount: sats(terms.sourceAmount - 1n) })),
      isRefusal(judge(record, { targetAmount: sats(terms.targetAmount + 1n) })),
      isRefusal(judge(record, { bolt11: other })),
      isRefusal(judge(record, {}, unread)),
    ]).toEqual([true, true, true, true]);
  });
});
