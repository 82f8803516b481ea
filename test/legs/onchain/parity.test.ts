import { bech32, bech32m, createBase58check, hex } from '@scure/base';
import * as btc from '@scure/btc-signer';
import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { signSend } from '../../../engine/adapters/bitcoin/sign-send.ts';
import { asHash160, asPreimage, asXOnly } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { addressOfScript, scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { buildHtlcSpend } from '../../../engine/legs/onchain/htlc-spend.ts';
import { chosenFrom } from '../../../engine/legs/onchain/select.ts';
import { keyPathScript } from '../../../engine/legs/onchain/taproot.ts';
import { publicKeyOf, xOnlyKeyOf } from '../../../engine/legs/secp256k1.ts';
import { leafWitness } from '../../../engine/legs/leaf-spend.ts';
import * as formerAddress from './former/address.ts';
import * as formerHtlc from './former/htlc.ts';
import * as formerSpend from './former/htlc-spend.ts';
import * as formerSelect from './former/select.ts';
import * as formerSend from './former/sign-send.ts';

const seed = 20261126;
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const secrets = bytes(32).filter((secret) => secret.some((byte) => byte !== 0) && (secret[0] ?? 0) < 0xff);
const networks = fc.constantFrom('mainnet', 'signet', 'regtest' as const);
const preimages = bytes(32).map(asPreimage);
const outpoints = fc.record({
  txid: bytes(32).map(hex.encode),
  vout: fc.oneof(fc.nat(5), fc.integer({ min: 0, max: 0xffff_ffff })),
});
const amounts = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 2_100_000_000_000_000 }));
const terms = fc
  .record({
    form: fc.constantFrom('p2tr', 'p2wsh' as const),
    hash: bytes(20).map(asHash160),
    claimer: secrets,
    refunder: secrets,
    refundLocktime: fc.oneof(
      fc.constantFrom(500_000_000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff),
      fc.integer({ min: 500_000_000, max: 0xffff_ffff }),
    ),
  })
  .map(({ claimer, refunder, refundLocktime, ...rest }): HtlcTerms => ({
    ...rest,
    claimer: publicKeyOf(claimer),
    refunder: publicKeyOf(refunder),
    refundLocktime: unix(refundLocktime),
  }));
const xOnlys = secrets.map(xOnlyKeyOf);
/** Of every kind that an address stands for. */
const scripts = fc.oneof(
  bytes(20).map((hash) => Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)),
  bytes(20).map((hash) => Uint8Array.of(0xa9, 20, ...hash, 0x87)),
  bytes(20).map((hash) => Uint8Array.of(0, 20, ...hash)),
  bytes(32).map((hash) => Uint8Array.of(0, 32, ...hash)),
  xOnlys.map((key) => Uint8Array.of(0x51, 32, ...key)),
);
/** Of both the outcome: what it gave, or that it refused. */
function outcome<T>(of: () => T): { readonly gave: T } | 'refused' {
  try {
    return { gave: of() };
  } catch {
    return 'refused';
  }
}

describe('what bitcoinjs-lib builds is byte for byte what @scure/btc-signer built', () => {
  test('HTLC scripts, leaves, control blocks and addresses', () => {
    fc.assert(
      fc.property(terms, networks, (own, network) => {
        const now = htlcScript(own);
        const before = formerHtlc.htlcScript(own);
        expect(now.pkScript).toEqual(before.pkScript);
        expect(htlcAddress(own, network)).toBe(formerHtlc.htlcAddress(own, network));
        if (now.form === 'p2wsh') {
          expect(now.witnessScript).toEqual(before.form === 'p2wsh' && before.witnessScript);
          return;
        }
        if (before.form !== 'p2tr') return expect.fail('another form');
        for (const name of ['claim', 'refund'] as const) {
          expect([now[name].script, now[name].hash]).toEqual([before[name].script, before[name].hash]);
          expect([now[name].script, now[name].controlBlock]).toEqual(leafWitness(before[name], []));
        }
      }),
      { numRuns: 300, seed },
    );
  });

  test('claims and refunds, with their sighashes and signatures', () => {
    const asks = fc.record({
      own: terms,
      coin: fc.tuple(outpoints, amounts).map(([outpoint, amount]) => ({ ...outpoint, amount: sats(amount) })),
      preimage: fc.option(preimages, { nil: undefined }),
      to: fc.oneof(scripts, fc.uint8Array({ maxLength: 60 })),
      feeRate: fc.oneof(fc.constantFrom(1, 5, 1_000), fc.double({ min: 0, max: 2_000, noNaN: true })),
      mostFee: amounts.map(sats),
      secret: secrets,
    });
    let made = 0;
    fc.assert(
      fc.property(asks, ({ own, preimage, ...rest }) => {
        const ask = { ...rest, ...(preimage === undefined ? {} : { preimage }) };
        const now = outcome(() => buildHtlcSpend(own, ask));
        expect(now).toEqual(outcome(() => formerSpend.buildHtlcSpend(own, ask)));
        if (now !== 'refused' && now.gave !== null) made++;
      }),
      { numRuns: 500, seed },
    );
    expect(made).toBeGreaterThan(250);
  });

  test('fundings, payments, joined coins, children and splits: many inputs, many outputs', () => {
    const keyOf = ({ index }: { readonly index: number }) => new Uint8Array(32).fill(index + 1);
    const keys = (ref: object) => keyOf(ref as { index: number });
    const coins = fc.array(
      fc.tuple(outpoints, amounts, fc.nat(200)).map(([outpoint, amount, index]) => ({
        outpoint,
        amount: sats(amount),
        key: { branch: 'bitcoin-change', index } as const,
      })),
      { minLength: 1, maxLength: 8 },
    );
    const outputs = fc.array(fc.record({ script: scripts, amount: fc.oneof(amounts, fc.nat(5_000)).map(BigInt) }), {
      minLength: 1,
      maxLength: 25,
    });
    let made = 0;
    fc.assert(
      fc.property(coins, outputs, fc.constantFrom(0xfffffffd, 0xfffffffe), (of, to, sequence) => {
        const ask = { coins: of, outputs: to, sequence };
        const now = outcome(() => signSend(keys, ask));
        expect(now).toEqual(outcome(() => formerSend.signSend(keys, ask)));
        if (now !== 'refused') made++;
      }),
      { numRuns: 250, seed },
    );
    expect(made).toBeGreaterThan(50);
    // As many as are ever joined and cut, over the border of a longer count.
    const many = Array.from({ length: 260 }, (_, i) => ({
      outpoint: { txid: hex.encode(new Uint8Array(32).fill(i)), vout: i },
      amount: sats(10_000 + i),
      key: { branch: 'bitcoin-deposit', index: i % 200 } as const,
    }));
    const paid = many.map(() => ({ script: keyPathScript(xOnlyKeyOf(keyOf({ index: 3 }))), amount: 1_000n }));
    const ask = { coins: many.slice(0, 60), outputs: paid, sequence: 0xfffffffd };
    expect(signSend(keys, ask)).toEqual(formerSend.signSend(keys, ask));
  });

  test('what cannot be signed for is refused', () => {
    const keys = () => new Uint8Array(32).fill(1);
    const key = { branch: 'bitcoin-change', index: 0 } as const;
    const coin = { outpoint: { txid: '11'.repeat(32), vout: 0 }, amount: sats(10_000), key };
    const script = Uint8Array.of(0, 20, ...new Uint8Array(20));
    const asks = [
      { coins: [coin], outputs: [{ script: new Uint8Array(), amount: 1n }] },
      { coins: [coin], outputs: [{ script: Uint8Array.of(0x52, 2, 1, 1), amount: 1n }] },
      { coins: [coin], outputs: [{ script: Uint8Array.of(0, 21, ...new Uint8Array(21)), amount: 1n }] },
      { coins: [coin], outputs: [{ script, amount: -1n }] },
      { coins: [coin], outputs: [] },
      { coins: [], outputs: [{ script, amount: 1n }] },
      { coins: [{ ...coin, outpoint: { txid: '11', vout: 0 } }], outputs: [{ script, amount: 1n }] },
      { coins: [{ ...coin, outpoint: { txid: '11'.repeat(32), vout: -1 } }], outputs: [{ script, amount: 1n }] },
      { coins: [coin, coin], outputs: [{ script, amount: 1n }] },
    ];
    const refused = asks.map((ask) => [
      outcome(() => signSend(keys, { ...ask, sequence: 0xfffffffd })) === 'refused',
      outcome(() => formerSend.signSend(keys, { ...ask, sequence: 0xfffffffd })) === 'refused',
    ]);
    expect(refused).toEqual(refused.map(([, before]) => [before, before]));
  });

  test('outputs of a key alone, on the curve or not', () => {
    fc.assert(
      fc.property(fc.oneof(xOnlys, bytes(32).map(asXOnly)), (key) => {
        expect(outcome(() => keyPathScript(key))).toEqual(outcome(() => btc.p2tr(key).script));
      }),
      { numRuns: 200, seed },
    );
  });
});

describe('addresses', () => {
  test('of every kind and network are read and written as before, and on no other network', () => {
    fc.assert(
      fc.property(scripts, networks, networks, fc.boolean(), (script, network, other, upper) => {
        const text = addressOfScript(script, network);
        expect(text).toBe(btc.Address(formerAddress.addressForms[network]).encode(btc.OutScript.decode(script)));
        expect(scriptOfAddress(text, network)).toEqual(script);
        const written = upper ? text.toUpperCase() : text;
        expect(scriptOfAddress(written, other)).toEqual(formerAddress.scriptOfAddress(written, other));
      }),
      { numRuns: 300, seed },
    );
  });

  test('that are none, or of a version that means nothing yet, are refused as before, without a word', () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const programs = fc
      .tuple(
        fc.oneof(fc.constantFrom(0, 1), fc.nat(17)),
        fc.oneof(bytes(20), bytes(32), fc.uint8Array({ maxLength: 45 })),
        fc.constantFrom('bc', 'tb', 'bcrt'),
        fc.boolean(),
      )
      .map(([version, program, prefix, modern]) => {
        const words = [version, ...bech32.toWords(program)];
        return outcome(() => (modern ? bech32m : bech32).encode(prefix, words, false));
      });
    const based = fc
      .uint8Array({ minLength: 18, maxLength: 26 })
      .map((payload) => ({ gave: createBase58check(sha256).encode(payload) }));
    const spoilt = fc
      .tuple(scripts, networks, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([script, network, at, letter]) => {
        const text = addressOfScript(script, network);
        const place = at % text.length;
        return { gave: text.slice(0, place) + letter + text.slice(place + 1) };
      });
    const texts = fc.oneof(
      programs,
      based,
      spoilt,
      fc.string({ maxLength: 100 }).map((gave) => ({ gave })),
    );
    let readable = 0;
    fc.assert(
      fc.property(texts, networks, (text, network) => {
        if (text === 'refused') return;
        const script = scriptOfAddress(text.gave, network);
        expect(script).toEqual(formerAddress.scriptOfAddress(text.gave, network));
        if (script !== null) readable++;
      }),
      { numRuns: 3_000, seed },
    );
    expect(readable).toBeGreaterThan(25);
    expect(warned).not.toHaveBeenCalled();
  });
});

test('the same coins are chosen as selectUTXO of @scure/btc-signer chose', () => {
  const own = Uint8Array.of(0x51, 32, ...xOnlyKeyOf(new Uint8Array(32).fill(1)));
  const coins = fc
    .array(
      fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 330, max: 5_000_000 }), fc.constant(50_000)),
      {
        maxLength: 40,
      },
    )
    .map((all) =>
      all.map((amount, i) => ({
        outpoint: { txid: (i + 1).toString(16).padStart(64, '0'), vout: i % 3 },
        amount: sats(amount),
        key: { branch: 'bitcoin-deposit', index: i } as const,
      })),
    );
  const asks = fc.record({
    coins,
    outputs: fc.array(fc.record({ script: scripts, amount: fc.integer({ min: 1, max: 3_000_000 }).map(BigInt) }), {
      minLength: 1,
      maxLength: 3,
    }),
    rate: fc.oneof(fc.constantFrom(1, 2, 7.5, 50, 500), fc.double({ min: 1, max: 400, noNaN: true })),
    most: fc.nat(3),
    /** The first output takes so many coins but for this: there is a choice without change. */
    near: fc.option(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(40_000)), { nil: null }),
  });
  let [exact, not, none] = [0, 0, 0];
  fc.assert(
    fc.property(asks, ({ coins: all, outputs: some, rate, most, near }) => {
      const sum = all.slice(0, near?.[0]).reduce((total, { amount }) => total + amount, 0n) - BigInt(near?.[1] ?? 0);
      const [first] = some;
      const outputs = near === null || sum <= 0n || !first ? some : [{ ...first, amount: sum }];
      const ask = { outputs, own, rate, keep: all.slice(0, most) };
      const now = chosenFrom(all.slice(most), ask);
      expect(now).toEqual(formerSelect.chosenFrom(all.slice(most), ask));
      if (now === null) none++;
      else if (now.exact) exact++;
      else not++;
    }),
    { numRuns: 1_500, seed },
  );
  expect([exact, not, none].every((count) => count > 50)).toBe(true);
});
