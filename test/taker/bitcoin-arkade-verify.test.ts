import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { bitcoinArkadeRecord, type BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asHash160, asPublicKey, asXOnly } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import { encodeArkadeAddress } from '../../engine/legs/arkade/address.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import type { TakeBitcoinArkadeTerms } from './taken.ts';
import { takenBitcoinArkade } from '../../engine/taker/directions/bitcoin-arkade.ts';
import {
  freeEverywhere,
  mutations,
  parity,
  passing,
  renamed,
  unmissed,
  type Json,
  type Mutation,
} from './mutations.ts';
import { startPair, type Pair } from './pair.ts';

/*
 * Records of a real provider in both forms of the script, each with every field changed in turn. Beyond single fields,
 * records whose parts agree with each other are refused for what they ask of us.
 */

type Form = 'p2wsh' | 'p2tr';
interface Offer {
  readonly record: BitcoinArkadeRecord;
  readonly request: TakeBitcoinArkadeTerms;
  readonly now: Clocks;
}
const pairs: Pair[] = [];
const offers = new Map<Form, Offer>();

beforeAll(async () => {
  for (const form of ['p2wsh', 'p2tr'] as const) {
    const pair = await startPair({
      config: { bitcoin: { htlcForm: form } },
      provider: { bitcoinWallet: true },
      taker: { bitcoinWallet: true },
    });
    pairs.push(pair);
    const records: unknown[] = [];
    pair.tampered.create = async (order) => {
      const created = await pair.provider.asProvider('').create(order);
      if (created.is === 'created') records.push(created.record);
      return created;
    };
    const id = await pair.fromBitcoin(50_000n);
    offers.set(form, {
      record: records[0] as BitcoinArkadeRecord,
      request: pair.taker.runtime.workingSet.find(id)?.row.terms as TakeBitcoinArkadeTerms,
      now: pair.taker.runtime.clock.now(),
    });
  }
});

afterAll(async () => {
  for (const pair of pairs) await pair.stop();
});

function offer(form: Form): Offer {
  const made = offers.get(form);
  if (made === undefined) throw new Error(`there is no record with ${form}`);
  return made;
}

function judge(form: Form, record: unknown, change: Partial<TakeBitcoinArkadeTerms> = {}) {
  const { request, now } = offer(form);
  return takenBitcoinArkade.verify(record, { ...request, ...change }, now, decodeInvoice);
}

const added: Json = {
  surplus_amount: '1',
  arkade_fund_txid: 'ab'.repeat(32),
  arkade_claim_txid: 'ab'.repeat(32),
  btc_fund_txid: 'ab'.repeat(32),
  btc_claim_txid: 'ab'.repeat(32),
};

describe.each(['p2wsh', 'p2tr'] as const)('a record from Bitcoin with %s', (form) => {
  const record = () => offer(form).record as unknown as Json;
  const accepted = (changes: readonly Mutation[]) => passing((given) => judge(form, given), record(), changes);
  const fields = Object.keys(bitcoinArkadeRecord.shape);

  test('of an honest provider is accepted, and what is paid is the script of its form', () => {
    const deal = judge(form, record());
    if (isRefusal(deal)) throw new Error(deal.sentence);
    expect([deal.source.htlc.form, deal.source.address, deal.target.address]).toEqual([
      form,
      record()['btc_htlc_address'],
      record()['arkade_vhtlc_address'],
    ]);
    expect('btc_htlc_witness_script' in record()).toBe(form === 'p2wsh');
  });

  test('is refused with a sentence for every field that is changed', () => {
    const more = form === 'p2tr' ? { btc_htlc_witness_script: 'ab'.repeat(100) } : {};
    const changes = mutations(record(), fields, { ...added, ...more, btc_funding_confirmations: 7 }).filter(
      ({ field, value }) => field !== 'server_vhtlc_pk' || form === 'p2wsh' || value !== parity(record(), field).value,
    );
    const sentences = changes
      .map(({ field, value }) => judge(form, { ...record(), [field]: value }))
      .map((verdict) => (isRefusal(verdict) ? verdict.sentence : ''));
    expect([
      accepted(changes),
      sentences.filter(
        (sentence) =>
          !/^The provider's record cannot be trusted: .+\. Nothing was paid; use another provider\.$/.test(sentence),
      ),
    ]).toEqual([[], []]);
    expect(changes.length).toBeGreaterThan(100);
  });

  test('is refused for every field that is missing', () => {
    const absent = fields.filter((field) => !(field in record()));
    const lacks = Object.fromEntries([...absent, 'btc_funding_confirmations'].map((field) => [field, null]));
    expect(unmissed((given) => judge(form, given), record(), fields, lacks)).toEqual([]);
  });

  test('may say anything only where a reason is written down', () => {
    const keys = form === 'p2tr' ? ['sender_pk', 'server_vhtlc_pk'] : ['sender_pk'];
    const waits = {
      field: 'btc_funding_confirmations',
      value: 6,
      why: 'within its bounds it is for the provider to say',
    };
    const free = [
      ...freeEverywhere,
      ...keys.map((key) => parity(record(), key)),
      parity(record(), 'arkade_server_pk'),
      waits,
    ];
    expect(accepted(free)).toEqual(free);
    const tokens = renamed(record());
    expect(accepted(tokens)).toEqual(tokens);
  });

  test('the sign of its key counts where the script holds the whole key', () => {
    expect(accepted([parity(record(), 'server_vhtlc_pk')]).length).toBe(form === 'p2tr' ? 1 : 0);
  });

  test.each([undefined, null, 7, 'text', [], {}])('that is no record is refused: %j', (given) => {
    expect(isRefusal(judge(form, given))).toBe(true);
  });
});

/** The generator of secp256k1: a key that everybody has. */
const stranger = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/**
 * The record with other terms, and the scripts and addresses that those terms really have: nothing in it contradicts
 * itself.
 */
function consistent(form: Form, change: Partial<BitcoinArkadeRecord>, refunder?: string): BitcoinArkadeRecord {
  const { record, request } = offer(form);
  const changed = { ...record, ...change };
  const key = (text: string) => asXOnly(fromHex(text.slice(-64)));
  const hash = asHash160(fromHex(changed.hash_lock));
  const { outputKey } = vhtlcScript({
    sender: key(changed.sender_pk),
    receiver: key(changed.receiver_pk),
    operator: key(changed.arkade_server_pk),
    hash,
    refundLocktime: unix(changed.vhtlc_refund_locktime),
    claimDelay: seconds(changed.unilateral_claim_delay),
    refundDelay: seconds(changed.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(changed.unilateral_refund_without_receiver_delay),
  });
  const htlc: HtlcTerms = {
    form,
    hash,
    claimer: asPublicKey(fromHex(changed.server_vhtlc_pk)),
    refunder: refunder === undefined ? request.key : asPublicKey(fromHex(refunder)),
    refundLocktime: unix(changed.btc_refund_locktime),
  };
  const script = htlcScript(htlc);
  return {
    ...changed,
    arkade_vhtlc_address: encodeArkadeAddress({ prefix: 'tark', operator: key(changed.arkade_server_pk), outputKey }),
    btc_htlc_address: htlcAddress(htlc, 'regtest'),
    ...(script.form === 'p2wsh' ? { btc_htlc_witness_script: toHex(script.witnessScript) } : {}),
  };
}

function reason(verdict: unknown): string {
  return isRefusal(verdict)
    ? verdict.sentence.replace(/^The provider's record cannot be trusted: /, '').replace(/\. Nothing was paid.*$/, '')
    : 'accepted';
}

describe.each(['p2wsh', 'p2tr'] as const)(
  'a record from Bitcoin with %s that agrees with itself is refused',
  (form) => {
    const from = (change: Partial<BitcoinArkadeRecord>, refunder?: string) =>
      reason(judge(form, consistent(form, change, refunder)));

    test('when it pays somebody else, or somebody else could take our bitcoin back', () => {
      expect([
        from({}),
        from({ receiver_pk: stranger }),
        from({ arkade_server_pk: stranger }),
        from({}, stranger),
        from({ target_arkade_address: 'tark1theirs' }),
      ]).toEqual([
        'accepted',
        'its claim key is not ours',
        'it names another Arkade operator than ours',
        expect.stringMatching(/^its Bitcoin (script|address) is /),
        'its Arkade address is not ours',
      ]);
    });

    test('when one key sends the VHTLC and another takes the bitcoin', () => {
      expect([from({ server_vhtlc_pk: stranger }), from({ sender_pk: stranger })]).toEqual([
        'its two keys are not the same',
        'its two keys are not the same',
      ]);
    });

    test('when the VHTLC leaves no time to claim, or our bitcoin comes back too early or too late', () => {
      const { record, now } = offer(form);
      const { vhtlc_refund_locktime: lock, btc_refund_locktime: refund } = record;
      expect([
        from({ vhtlc_refund_locktime: now.wall + 3_600 }),
        from({ vhtlc_refund_locktime: refund }),
        from({ btc_refund_locktime: lock }),
        from({ btc_refund_locktime: now.wall + 8 * 86_400 }),
        from({
          unilateral_refund_without_receiver_delay: record.unilateral_claim_delay,
          unilateral_refund_delay: record.unilateral_claim_delay,
        }),
      ]).toEqual([
        expect.stringMatching(/after the bitcoin may be paid and confirmed$/),
        expect.stringMatching(/^its bitcoin could be taken back at/),
        expect.stringMatching(/^its bitcoin could be taken back at/),
        expect.stringMatching(/^our refund opens at \d+ only/),
        expect.stringContaining('its sender could leave the VHTLC 0 seconds after we can'),
      ]);
    });

    test('when its VHTLC leaves no time behind the confirmations that it asks for', () => {
      const { request, now } = offer(form);
      const { policy } = request;
      const least = now.bitcoin.mtp! + policy.mtpLag + policy.fundingWindow + policy.leastClaimTime;
      const at = (confirmations: number, lock: number) =>
        from({ btc_funding_confirmations: confirmations, vhtlc_refund_locktime: lock });
      expect([
        at(3, least + 7_200),
        at(3, least + 7_199),
        at(1, least),
        at(1, least - 1),
        at(0, least),
        at(7, least + 7 * 3_600),
      ]).toEqual([
        'accepted',
        expect.stringMatching(/paid and confirmed$/),
        'accepted',
        expect.stringMatching(/paid and confirmed$/),
        'accepted',
        'it asks for 7 confirmations, more than the 6 that count as final',
      ]);
    });

    test('when it pays less than was asked for, costs more than was quoted, or adds up to something else', () => {
      const { record } = offer(form);
      const target = Number(record.target_amount);
      const source = Number(record.source_amount);
      const priced = (from: number, to: number) => ({
        source_amount: String(from),
        asset_amount: from,
        target_amount: String(to),
        sats_receive: to,
        fee_sats: from - to,
      });
      expect([
        from(priced(source, target - 1)),
        from(priced(source, target + 1)),
        from(priced(source + 1, target)),
        from({ ...priced(source, target), fee_sats: source - target + 1 }),
        from({ ...priced(source, target), sats_receive: target + 1 }),
      ]).toEqual([
        expect.stringContaining(`at least ${target} were agreed`),
        `it pays out ${target + 1} sats, ${target} were asked for`,
        `it asks for ${source + 1} sats, at most ${source} were agreed`,
        expect.stringContaining('between its two amounts'),
        'its amounts contradict each other',
      ]);
    });

    test('when the clock of the chain cannot be read', () => {
      const { record, request, now } = offer(form);
      expect(
        reason(
          takenBitcoinArkade.verify(record, request, { ...now, bitcoin: { mtp: null, height: null } }, decodeInvoice),
        ),
      ).toBe('the Bitcoin clock, by which its locktimes are judged, cannot be read now');
    });
  },
);
