import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { lightningBitcoinRecord } from '../../engine/contract/directions/lightning-bitcoin.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, type Clocks } from '../../engine/domain/time.ts';
import type { Bolt11, DecodeInvoice } from '../../engine/legs/lightning/invoice.ts';
import { htlcAddress, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeLightningBitcoinTerms } from './taken.ts';
import { takenLightningBitcoin } from '../../engine/taker/directions/lightning-bitcoin.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { freeEverywhere, mutations, passing, renamed, unmissed, type Json } from './mutations.ts';
import { startPair, type Pair } from './pair.ts';

/*
 * The record of a real provider with every field changed: what may say anything is listed with its reason, all else is
 * refused. Then records whose parts agree with each other, for what they ask of us.
 */

let pair: Pair;
let record: Json = {};
let terms: TakeLightningBitcoinTerms;
let now: Clocks;

beforeAll(async () => {
  pair = await startPair({ taker: { bitcoinWallet: true }, provider: { bitcoinWallet: true } });
  await deposit({ world: pair.world, node: pair.provider }, 2_000_000);
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (created.is === 'created') record = created.record as Json;
    return created;
  };
  const created = await pair.taker.taker.create({
    direction: 'lightning-bitcoin',
    amount: sats(80_000),
    invoice: null,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  terms = pair.taker.runtime.workingSet.find(created.id)?.row.terms as TakeLightningBitcoinTerms;
  now = pair.taker.runtime.clock.now();
});

afterAll(() => pair.stop());

const judge = (of: unknown, change: Partial<TakeLightningBitcoinTerms> = {}, at: Clocks = now) =>
  takenLightningBitcoin.verify(of, { ...terms, ...change }, at, decodeInvoice);
const added: Json = {
  surplus_amount: '1',
  btc_fund_txid: 'ab'.repeat(32),
  btc_fund_vout: 0,
  btc_claim_txid: 'ab'.repeat(32),
  target_btc_address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
};
const fields = Object.keys(lightningBitcoinRecord.shape);

/** With another end or key of the provider's, and the address that they make. */
function agreeing(change: Partial<MusigHtlcTerms>): Json {
  const htlc: MusigHtlcTerms = {
    form: 'musig',
    hash: hash160OfSha256(terms.hash),
    claimer: terms.key,
    refunder: asPublicKey(fromHex(String(record['btc_server_refund_pk']))),
    provider: 'refunder',
    sizeGuard: true,
    refundHeight: Number(record['btc_refund_locktime']),
    ...change,
  };
  return { ...record, btc_refund_locktime: htlc.refundHeight, btc_htlc_address: htlcAddress(htlc, 'regtest') };
}

describe('lightning-bitcoin: what a provider says', () => {
  test('an honest record is accepted', () => {
    expect(judge(record)).toMatchObject({
      source: { on: 'lightning', amount: 80_000n, bolt11: record['bolt11_invoice'] },
      target: { on: 'bitcoin', htlc: { form: 'musig', provider: 'refunder', sizeGuard: true } },
    });
  });

  test('a record is refused for every field that is changed, the sign of a key as well', () => {
    const changes = mutations(record, fields, added);
    expect([passing(judge, record, changes), changes.length > 80]).toEqual([[], true]);
    const key = String(record['btc_server_refund_pk']);
    const other = `${key.startsWith('02') ? '03' : '02'}${key.slice(2)}`;
    expect(isRefusal(judge({ ...record, btc_server_refund_pk: other }))).toBe(true);
  });

  test('a record is refused for every field that is missing', () => {
    expect(unmissed(judge, record, fields, added)).toEqual([]);
  });

  test('it may say anything only where a reason is written down', () => {
    const free = [...freeEverywhere, ...renamed(record)];
    expect(passing(judge, record, free)).toEqual(free);
  });

  test('its coin must leave us blocks to claim, and must not lie too far away', () => {
    const tip = now.bitcoin.height ?? 0;
    const { policy } = terms;
    const window = Number(record['invoice_expires_at']) - now.wall;
    const least = tip + Math.ceil((window + policy.leastClaimTime) / policy.fastBlock) + 16;
    const most = tip + Math.ceil(policy.longestLeg / 600);
    const at = (refundHeight: number) => isRefusal(judge(agreeing({ refundHeight })));
    expect([least - 1, least, most, most + 1].map(at)).toEqual([true, false, false, true]);
  });

  test('an address of other conditions is refused, whoever would hold what key', () => {
    const wrong: Partial<MusigHtlcTerms>[] = [
      { sizeGuard: false },
      { provider: 'claimer' },
      { claimer: asPublicKey(fromHex(`02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`)) },
    ];
    expect(wrong.map((change) => isRefusal(judge(agreeing(change))))).toEqual(wrong.map(() => true));
  });

  test('an invoice is refused that may be paid on the chain as well', () => {
    const payableThere: DecodeInvoice = (text) => ({ ...(decodeInvoice(text) as Bolt11), hasFallback: true });
    expect(takenLightningBitcoin.verify(record, terms, now, payableThere)).toMatchObject({
      sentence: expect.stringContaining('names an address on the Bitcoin chain'),
    });
  });

  test('nothing is accepted for less than was agreed, or while the chain cannot be read', () => {
    const unread: Clocks = { ...now, bitcoin: { mtp: null, height: null } };
    expect([
      isRefusal(judge(record, { targetAmount: sats(terms.targetAmount + 1n) })),
      isRefusal(judge(record, { sourceAmount: sats(terms.sourceAmount - 1n) })),
      isRefusal(judge(record, { policy: { ...terms.policy, leastClaimTime: seconds(50_000) } })),
      isRefusal(judge(record, {}, unread)),
    ]).toEqual([true, true, true, true]);
  });
});
