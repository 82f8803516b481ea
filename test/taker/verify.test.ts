import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import {
  arkadeLightningRecord,
  type ArkadeLightningRecord,
} from '../../engine/contract/directions/arkade-lightning.ts';
import {
  lightningArkadeRecord,
  type LightningArkadeRecord,
} from '../../engine/contract/directions/lightning-arkade.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asSha256, asXOnly } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { swapStatuses } from '../../engine/domain/status.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import type { Bolt11 } from '../../engine/legs/lightning/invoice.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { encodeArkadeAddress } from '../../engine/legs/arkade/address.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { TakeArkadeLightningTerms } from './taken.ts';
import type { TakeLightningArkadeTerms } from './taken.ts';
import { takenArkadeLightning } from '../../engine/taker/directions/arkade-lightning.ts';
import { takenLightningArkade } from '../../engine/taker/directions/lightning-arkade.ts';
import { freeEverywhere, mutations, parity, passing, renamed, unmissed, type Json } from './mutations.ts';
import { startPair, type Pair } from './pair.ts';

/*
 * Records of a real provider, each with every field changed. A field that may say anything is listed with its reason;
 * everything else must be refused. Beyond single fields, records whose parts agree with each other are refused for what
 * they ask of us.
 */

let pair: Pair;
let now: Clocks;
let fromLightning: { record: LightningArkadeRecord; request: TakeLightningArkadeTerms };
let toLightning: { record: ArkadeLightningRecord; request: TakeArkadeLightningTerms };

beforeAll(async () => {
  pair = await startPair();
  const records: unknown[] = [];
  pair.tampered.create = async (order) => {
    const created = await pair.provider.asProvider('').create(order);
    if (created.is === 'created') records.push(created.record);
    return created;
  };
  const ids = [await pair.fromLightning(25_000n), await pair.toLightning(pair.world.invoice(25_000n).bolt11, 25_000n)];
  const [first, second] = ids.map((id) => pair.taker.runtime.workingSet.find(id)?.row.terms);
  fromLightning = { record: records[0] as LightningArkadeRecord, request: first as TakeLightningArkadeTerms };
  toLightning = { record: records[1] as ArkadeLightningRecord, request: second as TakeArkadeLightningTerms };
  now = pair.taker.runtime.clock.now();
});

afterAll(() => pair.stop());

function judgeFromLightning(record: unknown, change: Partial<TakeLightningArkadeTerms> = {}) {
  return takenLightningArkade.verify(record, { ...fromLightning.request, ...change }, now, decodeInvoice);
}

function judgeToLightning(record: unknown, change: Partial<TakeArkadeLightningTerms> = {}) {
  return takenArkadeLightning.verify(record, { ...toLightning.request, ...change }, now, decodeInvoice);
}

/** Values for what a fresh record leaves out. */
const added: Json = { surplus_amount: '1', arkade_fund_txid: 'ab'.repeat(32), arkade_claim_txid: 'ab'.repeat(32) };

describe.each([
  {
    name: 'from Lightning',
    of: () => ({
      record: fromLightning.record as unknown as Json,
      schema: lightningArkadeRecord,
      judge: judgeFromLightning,
      theirs: 'sender_pk',
    }),
  },
  {
    name: 'to Lightning',
    of: () => ({
      record: toLightning.record as unknown as Json,
      schema: arkadeLightningRecord,
      judge: judgeToLightning,
      theirs: 'receiver_pk',
    }),
  },
])('a record $name', ({ of }) => {
  test('of an honest provider is accepted', () => {
    const { record, judge } = of();
    expect(isRefusal(judge(record))).toBe(false);
  });

  test('is refused with a sentence for every field that is changed', () => {
    const { record, schema, judge } = of();
    const fields = Object.keys(schema.shape);
    const changes = mutations(record, fields, added);
    const sentences = changes
      .map(({ field, value }) => judge({ ...record, [field]: value }))
      .map((verdict) => (isRefusal(verdict) ? verdict.sentence : ''));
    expect([
      passing(judge, record, changes),
      sentences.filter(
        (sentence) =>
          !/^The provider's record cannot be trusted: .+\. Nothing was paid; use another provider\.$/.test(sentence),
      ),
    ]).toEqual([[], []]);
    expect(changes.length).toBeGreaterThan(100);
  });

  test('is refused for every field that is missing', () => {
    const { record, schema, judge } = of();
    expect(unmissed(judge, record, Object.keys(schema.shape), added)).toEqual([]);
  });

  test('may say anything only where a reason is written down', () => {
    const { record, judge, theirs } = of();
    const free = [...freeEverywhere, parity(record, theirs), parity(record, 'arkade_server_pk')];
    expect(passing(judge, record, free)).toEqual(free);
    const tokens = renamed(record);
    expect(passing(judge, record, tokens)).toEqual(tokens);
  });

  test('is refused in every status but pending, and with an id that cannot be asked for', () => {
    const { record, judge } = of();
    const changes = [
      ...swapStatuses.filter((status) => status !== 'pending').map((value) => ({ field: 'status', value })),
      ...['', 'x'.repeat(101)].map((value) => ({ field: 'id', value })),
    ];
    expect(passing(judge, record, changes)).toEqual([]);
  });

  test.each([undefined, null, 7, 'text', [], {}])('that is no record is refused: %j', (given) => {
    expect(isRefusal(of().judge(given))).toBe(true);
  });
});

/** The record with other terms, and the address that those terms really have: nothing in it contradicts itself. */
function consistent<R extends LightningArkadeRecord | ArkadeLightningRecord>(record: R, change: Partial<R>): R {
  const changed = { ...record, ...change };
  const key = (text: string) => asXOnly(fromHex(text.slice(-64)));
  const { outputKey } = vhtlcScript({
    sender: key(changed.sender_pk),
    receiver: key(changed.receiver_pk),
    operator: key(changed.arkade_server_pk),
    hash: hash160OfSha256(asSha256(fromHex(changed.hash_lock.slice(2)))),
    refundLocktime: unix(changed.vhtlc_refund_locktime),
    claimDelay: seconds(changed.unilateral_claim_delay),
    refundDelay: seconds(changed.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(changed.unilateral_refund_without_receiver_delay),
  });
  return {
    ...changed,
    arkade_vhtlc_address: encodeArkadeAddress({ prefix: 'tark', operator: key(changed.arkade_server_pk), outputKey }),
  };
}

function reason(verdict: unknown): string {
  return isRefusal(verdict)
    ? verdict.sentence.replace(/^The provider's record cannot be trusted: /, '').replace(/\. Nothing was paid.*$/, '')
    : 'accepted';
}

/** The generator of secp256k1: a key that everybody has. */
const stranger = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

describe('a record from Lightning that agrees with itself is refused', () => {
  const from = (change: Partial<LightningArkadeRecord>) =>
    reason(judgeFromLightning(consistent(fromLightning.record, change)));

  test('when the VHTLC pays somebody else', () => {
    expect([from({ receiver_pk: stranger }), from({ arkade_server_pk: stranger })]).toEqual([
      'its claim key is not ours',
      'it names another Arkade operator than ours',
    ]);
  });

  test('when its refund opens before we could claim, or absurdly late', () => {
    const { invoice_expires_at } = fromLightning.record;
    expect([
      from({ vhtlc_refund_locktime: invoice_expires_at + 60 }),
      from({ vhtlc_refund_locktime: now.wall + 8 * 86_400 }),
    ]).toEqual([
      expect.stringMatching(
        /^its VHTLC can be taken back at \d+, less than \d+ seconds after its invoice may be paid$/,
      ),
      expect.stringMatching(/only, the payment could be held for too long$/),
    ]);
  });

  test('and its claim time is judged by the clock of the chain, however long no block came', () => {
    const { record, request } = fromLightning;
    const lag = 30 * 86_400;
    const old = { ...now, bitcoin: { ...now.bitcoin, mtp: unix(now.wall - lag) } };
    const judged = (locktime: number) =>
      reason(
        takenLightningArkade.verify(
          consistent(record, { vhtlc_refund_locktime: locktime }),
          request,
          old,
          decodeInvoice,
        ),
      );
    expect([judged(now.wall - lag + 12 * 3_600), judged(now.wall - lag + 5 * 3_600)]).toEqual([
      'accepted',
      expect.stringMatching(/after its invoice may be paid$/),
    ]);
  });

  test('when its delays are no delays, too short, out of order, or let the sender leave first', () => {
    const { unilateral_claim_delay: least } = fromLightning.record;
    const all = (delay: number) => ({
      unilateral_claim_delay: delay,
      unilateral_refund_delay: delay,
      unilateral_refund_without_receiver_delay: delay,
    });
    expect([
      reason(judgeFromLightning({ ...fromLightning.record, unilateral_refund_delay: least * 2 + 1 })),
      reason(
        judgeFromLightning(fromLightning.record, {
          operator: { ...fromLightning.request.operator, exitDelay: seconds(least + 512) },
        }),
      ),
      from({ unilateral_claim_delay: least * 3, unilateral_refund_delay: least * 2 }),
      from(all(least * 4)),
    ]).toEqual([
      expect.stringContaining('is not a multiple of 512'),
      expect.stringContaining("is shorter than the operator's exit delay"),
      expect.stringContaining('are not in their order'),
      expect.stringContaining('its sender could leave the VHTLC 0 seconds after we can'),
    ]);
  });

  test('fault 28: when its invoice has another amount, hash, text, network or expiry, or holds for months', () => {
    const { lightning } = pair.world;
    const { record, request } = fromLightning;
    const honest = {
      hold: true,
      memo: request.description,
      amountMsat: 25_000_000n,
      expirySeconds: 1_800,
      cltvDelta: 150,
    };
    // Written by the outside wallet over hashes of its own, which we then pretend to have asked for.
    const invoice = (change: Partial<typeof honest>) =>
      lightning.addInvoice('outside', { ...honest, ...change }).bolt11;
    const judged = (change: Partial<typeof honest>) => {
      const bolt11 = invoice(change);
      const { hash, expiresAt } = decodeInvoice(bolt11) as { hash: Uint8Array; expiresAt: number };
      return reason(
        judgeFromLightning(
          consistent(record, { bolt11_invoice: bolt11, hash_lock: `0x${toHex(hash)}`, invoice_expires_at: expiresAt }),
          { hash: asSha256(hash) },
        ),
      );
    };
    expect([
      judged({}),
      judged({ amountMsat: 25_001_000n }),
      judged({ amountMsat: 25_000_001n }),
      judged({ memo: 'Pay me' }),
      judged({ cltvDelta: 2_000 }),
    ]).toEqual([
      'accepted',
      'its invoice asks for 25001 sats, its source amount is 25000',
      'its invoice does not ask for a whole number of sats',
      'its invoice carries another text than ours',
      expect.stringContaining('could hold a payment for 2000 blocks'),
    ]);
    const foreign = invoice({});
    expect([
      reason(judgeFromLightning({ ...record, bolt11_invoice: foreign })),
      reason(judgeFromLightning(record, { network: 'signet' })),
      reason(
        takenLightningArkade.verify(record, request, now, (text) => ({
          ...(decodeInvoice(text) as Bolt11),
          network: 'mainnet',
        })),
      ),
      reason(
        takenLightningArkade.verify(record, request, now, (text) => ({
          ...(decodeInvoice(text) as Bolt11),
          hasFallback: true,
        })),
      ),
      reason(
        takenLightningArkade.verify(
          record,
          request,
          { ...now, wall: unix(record.invoice_expires_at - 10) },
          decodeInvoice,
        ),
      ),
    ]).toEqual([
      'its invoice has another payment hash than ours',
      expect.stringContaining('it is on the network regtest'),
      'its invoice is for the network mainnet, we are on regtest',
      expect.stringContaining('names an address on the Bitcoin chain'),
      expect.stringContaining('too soon to be paid'),
    ]);
  });

  test('when it pays out less than was quoted, or its fees do not add up, or take more than a quarter', () => {
    const { record } = fromLightning;
    const target = BigInt(record.target_amount);
    const priced = (out: bigint) => ({
      ...record,
      target_amount: out.toString(),
      fee_sats: Number(25_000n - out) - record.network_fee_sats,
    });
    expect([
      reason(judgeFromLightning(priced(target - 1n))),
      reason(judgeFromLightning({ ...record, fee_sats: record.fee_sats + 1 })),
      reason(judgeFromLightning(priced(18_000n), { targetAmount: sats(1) })),
    ]).toEqual([
      expect.stringContaining(`at least ${target} were agreed`),
      expect.stringContaining('are not the'),
      'its fees take 7000 of 25000 sats, more than a quarter',
    ]);
  });
});

describe('a record to Lightning that agrees with itself is refused', () => {
  const to = (change: Partial<ArkadeLightningRecord>) =>
    reason(judgeToLightning(consistent(toLightning.record, change)));

  test('when somebody else could refund it, or another operator holds it', () => {
    expect([to({ sender_pk: stranger }), to({ arkade_server_pk: stranger })]).toEqual([
      'its refund key is not ours',
      'it names another Arkade operator than ours',
    ]);
  });

  test('when our refund would open after a week, or has opened already', () => {
    expect([
      to({ vhtlc_refund_locktime: now.wall + 8 * 86_400 }),
      to({ vhtlc_refund_locktime: (now.bitcoin.mtp ?? 0) - 1 }),
    ]).toEqual([expect.stringContaining('its refund opens at'), expect.stringContaining('has passed')]);
  });

  test('when it costs more than was quoted', () => {
    const { record } = toLightning;
    const source = BigInt(record.source_amount) + 1n;
    expect(
      reason(judgeToLightning({ ...record, source_amount: source.toString(), fee_sats: record.fee_sats + 1 })),
    ).toBe(`it asks for ${source} sats, at most ${record.source_amount} were agreed`);
  });

  test('when the invoice is about to expire', () => {
    const { record, request } = toLightning;
    expect(
      reason(
        takenArkadeLightning.verify(
          record,
          request,
          { ...now, wall: unix(request.invoiceExpiresAt - 59) },
          decodeInvoice,
        ),
      ),
    ).toContain('too soon to be paid');
  });

  test('fault 28: when it would pay another invoice, or other sats', () => {
    const { record } = toLightning;
    const { bolt11, hash } = pair.world.invoice(25_000n);
    expect([
      to({ client_lightning_invoice: bolt11 }),
      to({ client_lightning_invoice: bolt11, hash_lock: `0x${toHex(hash)}` }),
      to({ target_amount: '25001', fee_sats: record.fee_sats - 1 }),
    ]).toEqual([
      'the invoice that it would pay is not ours',
      'its hash is not ours',
      'it would pay 25001 sats, the invoice asks for 25000',
    ]);
  });
});
