import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32 } from '@scure/base';
import { array, assert, boolean, constantFrom, integer, oneof, property, record, string, uint8Array } from 'fast-check';
import { parsePaymentRequest } from 'invoices';
import { describe, expect, it } from 'vitest';
import { decodeInvoice, readOwnInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import type { Bolt11 } from '../../../engine/legs/lightning/invoice.ts';
import {
  bytesField,
  descriptionField,
  type Field,
  hashField,
  hintField,
  numberField,
  payeeKey,
  secretField,
  writeInvoice,
} from './bolt11-writer.ts';

/** Examples of BOLT 11 (lightning/bolts, 11-payment-encoding.md). */
const donation =
  'lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls087fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql';
const coffee =
  'lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qfegext0eh0ymjpf39tuven09sam30g4vgpfna3rh';
/** The one with a fallback address, 1RustyRX2oai4EYYDpQGWvEL62BBGqN9T, and routing hints. */
const payableOnChain =
  'lnbc20m1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqsfpp3qjmp7lwpagxun9pygexvgpjdc4jdj85fr9yq20q82gphp2nflc7jtzrcazrra7wwgzxqc8u7754cdlpfrmccae92qgzqvzq2ps8pqqqqqqpqqqqq9qqqvpeuqafqxu92d8lr6fvg0r5gv0heeeqgcrqlnm6jhphu9y00rrhy4grqszsvpcgpy9qqqqqqgqqqqq7qqzq9qrsgqdfjcdk6w3ak5pca9hwfwfh63zrrz06wwfya0ydlzpgzxkn5xagsqz7x9j4jwe7yj7vaf2k9lqsdk45kts2fd0fkr28am0u4w95tt2nsq76cqw0';
const examplePayee = '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad';
const exampleHash = '0001020304050607080900010203040506070809000102030405060708090102';
const created = 1_496_314_658;

function plain(invoice: Bolt11) {
  const { hash, payee, descriptionHash, text: _, ...rest } = invoice;
  return {
    ...rest,
    hash: toHex(hash),
    payee: toHex(payee),
    descriptionHash: descriptionHash && toHex(descriptionHash),
  };
}

function read(text: string): ReturnType<typeof plain> | string {
  const invoice = decodeInvoice(text);
  return isRefusal(invoice) ? invoice.sentence : plain(invoice);
}

function write(fields: readonly Field[], prefix = 'lnbcrt20u'): string {
  return writeInvoice(prefix, created, fields);
}

const usual = [hashField, secretField, descriptionField];

describe('a BOLT 11 invoice', () => {
  it('without an amount is read as the specification reads its donation', () => {
    expect(read(donation)).toEqual({
      network: 'mainnet',
      amountMsat: null,
      hash: exampleHash,
      createdAt: created,
      expiresAt: created + 3_600,
      finalCltv: 18,
      description: 'Please consider supporting this project',
      descriptionHash: null,
      payee: examplePayee,
      hasFallback: false,
      hinted: { feeMsat: 0n, blocks: 0 },
    });
  });

  it('with an amount and an expiry is read as the cup of coffee of the specification', () => {
    const expected = {
      amountMsat: 250_000_000n,
      expiresAt: created + 60,
      description: '1 cup coffee',
      payee: examplePayee,
    };
    expect(read(coffee)).toMatchObject(expected);
    expect(read(coffee.toUpperCase())).toMatchObject(expected);
  });

  it('fault 238: says that it names an address on the chain, as that of the specification does', () => {
    expect(read(payableOnChain)).toMatchObject({
      amountMsat: 2_000_000_000n,
      hash: exampleHash,
      payee: examplePayee,
      hasFallback: true,
      // Over two hops, the last one paid first: 2 and 30 parts of a million, then 1 and 20.
      hinted: { feeMsat: 60_002n + 40_002n, blocks: 3 + 4 },
    });
    // Of a version that nobody knows yet, too.
    expect(read(write([...usual, { tag: 9, words: [25, 1, 2, 3, 4] }]))).toMatchObject({ hasFallback: true });
    expect([read(coffee), read(write(usual))]).toMatchObject([{ hasFallback: false }, { hasFallback: false }]);
  });

  it('says its network, its final CLTV delta and the hash of its description', () => {
    const described = bytesField(23, new Uint8Array(32).fill(7));
    expect(
      ['lnbcrt1m', 'lntbs1m', 'lnbc1m', 'lntb1m'].map((prefix) =>
        read(writeInvoice(prefix, created, [hashField, secretField, described, numberField(24, 144)])),
      ),
    ).toMatchObject(
      ['regtest', 'signet', 'mainnet', 'other'].map((network) => ({
        network,
        amountMsat: 100_000_000n,
        finalCltv: 144,
        description: null,
        descriptionHash: '07'.repeat(32),
      })),
    );
  });

  it('with an amount of every multiplier is exact to the millisatoshi', () => {
    const amounts = ['lnbcrt1', 'lnbcrt1m', 'lnbcrt1u', 'lnbcrt1n', 'lnbcrt10p', 'lnbcrt2100000000000000000p'].map(
      (prefix) => decodeInvoice(write(usual, prefix)),
    );
    expect(amounts.map((invoice) => (isRefusal(invoice) ? invoice.sentence : invoice.amountMsat))).toEqual([
      100_000_000_000n,
      100_000_000n,
      100_000n,
      100n,
      1n,
      expect.stringContaining('amount'),
    ]);
  });

  it('names its payee by its signature, also when a field repeats it', () => {
    const payee = secp256k1.getPublicKey(payeeKey, true);
    const other = secp256k1.getPublicKey(new Uint8Array(32).fill(5), true);
    expect(read(write([...usual, bytesField(19, payee)]))).toMatchObject({ payee: examplePayee });
    expect(read(write([...usual, bytesField(19, other)]))).toContain('payee did not sign');
  });

  it('that payers could read in two ways is refused, each with its reason', () => {
    const wrong: [string, string][] = [
      [
        write([hashField, bytesField(1, new Uint8Array(32).fill(9)), secretField, descriptionField]),
        'field p comes twice',
      ],
      [write([...usual, numberField(6, 60), numberField(6, 9_000)]), 'field x comes twice'],
      [write([...usual, numberField(24, 20), numberField(24, 2_000)]), 'field c comes twice'],
      [write([bytesField(1, new Uint8Array(33)), secretField, descriptionField]), 'field p has the wrong length'],
      [write([hashField, bytesField(16, new Uint8Array(31)), descriptionField]), 'field s has the wrong length'],
      [write([...usual, { tag: 24, words: [0] }]), 'field c is out of range'],
      [write([...usual, { tag: 6, words: [1, 0, 0, 0, 0, 0, 0, 0] }]), 'field x is out of range'],
      [write([secretField, descriptionField]), 'no payment hash'],
      [write([hashField, descriptionField]), 'no payment secret'],
      [write([hashField, secretField]), 'either a description'],
      [write([...usual, bytesField(23, new Uint8Array(32))]), 'either a description'],
      [write(usual, 'lnbcrt15p'), 'amount'],
      [write(usual, 'lnbcrt01u'), 'amount'],
      [`${write(usual).slice(0, -1)}q`, 'not a valid BOLT 11'],
      [coffee.replace('lnbc2500u', 'lnbc2500m'), 'not a valid BOLT 11'],
      [coffee.slice(0, 40), 'not a valid BOLT 11'],
      ['lnbc', 'not a valid BOLT 11'],
      ['', 'not a valid BOLT 11'],
      [`lnbc${'q'.repeat(8_000)}`, 'at most 7089'],
    ];
    expect(wrong.map(([text]) => read(text))).toEqual(wrong.map(([, why]) => expect.stringContaining(why)));
  });
});

it('fault 250, lightning: an invoice to be paid over blinded paths is refused, wherever it says so', () => {
  const path = bytesField(20, new Uint8Array(120).fill(3));
  const own = bytesField(19, secp256k1.getPublicKey(payeeKey, true));
  for (const fields of [
    [...usual, path],
    [path, path, ...usual, own],
    [hashField, path, secretField, bytesField(23, new Uint8Array(32))],
    [...usual, { tag: 20, words: [] }],
  ]) {
    const text = write(fields);
    expect([read(text), read(text.toUpperCase()), readOwnInvoice(text)]).toEqual([
      expect.stringContaining('blinded paths, whose delay no limit bounds'),
      expect.stringContaining('blinded paths, whose delay no limit bounds'),
      null,
    ]);
  }
});

it('fault 370, lightning: an invoice for AMP is refused, and what wallets offer beside is not', () => {
  /** The feature bits that are set, as an invoice writes them. */
  const features = (...bits: readonly number[]): Field => {
    const words = Array.from({ length: Math.floor(Math.max(...bits) / 5) + 1 }, () => 0);
    for (const bit of bits) words[words.length - 1 - Math.floor(bit / 5)]! |= 1 << (bit % 5);
    return { tag: 5, words };
  };
  expect(features(30, 14, 8).words).toEqual([1, 0, 0, 0, 16, 8, 0]);
  for (const bits of [[30, 14, 8], [31, 14, 8], [30], [149, 31]])
    expect(read(write([...usual, features(...bits)]))).toEqual(expect.stringContaining('it is one for AMP'));
  for (const bits of [[8, 14, 17], [9, 15, 17, 25, 49], [8, 14, 16, 48, 149], [8, 14, 51], [29, 32], [0]])
    expect(read(write([...usual, features(...bits)]))).toMatchObject({ hash: expect.anything() });
  expect(read(write([...usual, { tag: 5, words: [] }]))).toMatchObject({ hash: expect.anything() });
});

it('fault 370, lightning: an invoice with a hint over a key that is none is refused', () => {
  const [good, bad] = [hintField({ baseMsat: 1, ppm: 1, blocks: 1 }), hintField({ baseMsat: 1, ppm: 1, blocks: 1 })];
  const bytes = Uint8Array.from(bech32.fromWords([...bad.words]));
  expect(read(write([...usual, good]))).toMatchObject({ hash: expect.anything() });
  // 5 is the x of no point, and 9 begins no key.
  bytes.set([2, ...new Uint8Array(31), 5], 0);
  expect(read(write([...usual, good, bytesField(3, bytes)]))).toEqual(expect.stringContaining('a key that is none'));
  bytes.set([9], 0);
  expect(read(write([...usual, bytesField(3, bytes)]))).toEqual(expect.any(String));
});

/** What the library says of an invoice; null where it refuses it. */
function byLibrary(text: string) {
  try {
    const { id, destination, network, mtokens, description, description_hash, created_at, expires_at, cltv_delta } =
      parsePaymentRequest({ request: text.toLowerCase() });
    const seconds = (iso: string) => Math.floor(Date.parse(iso) / 1_000);
    return {
      network: { bitcoin: 'mainnet', signet: 'signet', regtest: 'regtest' }[network] ?? 'other',
      amountMsat: BigInt(mtokens),
      hash: id,
      createdAt: seconds(created_at),
      expiresAt: seconds(expires_at),
      finalCltv: cltv_delta,
      // It makes no difference between none and an empty one.
      description: description_hash === undefined ? (description ?? '') : null,
      descriptionHash: description_hash ?? null,
      payee: destination,
    };
  } catch {
    return null;
  }
}

const words = (most: number) => array(integer({ min: 0, max: 31 }), { maxLength: most });
const anyField = oneof(
  record({ tag: integer({ min: 0, max: 31 }), words: words(60) }),
  constantFrom(...usual),
  integer({ min: 1, max: 2 ** 34 }).map((value) => numberField(6, value)),
  integer({ min: 1, max: 2 ** 20 }).map((value) => numberField(24, value)),
  string({ unit: 'grapheme', maxLength: 40 }).map((text) => bytesField(13, new TextEncoder().encode(text))),
  uint8Array({ minLength: 102, maxLength: 102 }).map((bytes) => bytesField(3, bytes)),
  record({
    tag: constantFrom(1, 16, 23),
    words: array(integer({ min: 0, max: 31 }), { minLength: 52, maxLength: 52 }),
  }),
);
const anyPrefix = constantFrom('lnbcrt20u', 'lntbs1m', 'lnbc', 'lntb15n', 'lnbc150p', 'lnbcrt15p', 'lnbc01', 'lnltc1u');
const anyInvoice = record({
  prefix: anyPrefix,
  created: integer({ min: 0, max: 2 ** 34 }),
  fields: array(anyField, { maxLength: 7 }),
  missing: boolean(),
}).map(({ prefix, created: at, fields, missing }) => {
  const named = new Set(fields.map(({ tag }) => tag));
  const wanting = missing ? [] : usual.filter(({ tag }) => !named.has(tag) && !(tag === 13 && named.has(23)));
  return writeInvoice(prefix, at, [...fields, ...wanting]);
});

describe('any invoice, well or badly made,', () => {
  it('is read as the library reads it, or refused: what the library refuses is', () => {
    let valid = 0;
    assert(
      property(anyInvoice, (text) => {
        const theirs = byLibrary(text);
        const ours = read(text);
        if (typeof ours === 'string') {
          if (theirs !== null) expect(ours).not.toContain('not a valid BOLT 11');
        } else {
          valid++;
          const { hasFallback: _, hinted: __, ...alike } = ours;
          expect({ ...alike, amountMsat: ours.amountMsat ?? 0n }).toEqual(theirs);
        }
      }),
      { numRuns: 400 },
    );
    expect(valid).toBeGreaterThan(20);
  });

  it('is not read when one word of its signature or its data is another', () => {
    const { prefix, words: whole } = bech32.decode(coffee as `${string}1${string}`, false);
    const payees = whole.map((word, at) => {
      const other = bech32.encode(prefix, whole.with(at, word ^ 1), false);
      const altered = read(other);
      const theirs = byLibrary(other);
      if (typeof altered === 'string') return null;
      const { hasFallback: _, hinted: __, ...alike } = altered;
      expect({ ...alike, amountMsat: altered.amountMsat ?? 0n }).toEqual(theirs);
      return altered.payee;
    });
    expect(payees.filter((payee) => payee === examplePayee)).toEqual([]);
  });
});

describe('an invoice of our own node, read back without its signature,', () => {
  it('says the same as when it is decoded whole', () => {
    const texts = [
      donation,
      coffee,
      ...['lnbcrt1m', 'lntbs25u', 'lntb1m'].map((prefix) => write([...usual, numberField(6, 1_800)], prefix)),
    ];
    for (const text of texts) {
      const whole = decodeInvoice(text);
      if (isRefusal(whole)) throw new Error(whole.sentence);
      const { network, amountMsat, hash, descriptionHash, expiresAt } = whole;
      expect(readOwnInvoice(text)).toEqual({ network, amountMsat, hash, descriptionHash, expiresAt });
    }
  });

  it('is nothing when a letter of it is wrong, when it lacks its hash, or when it is no invoice', () => {
    expect(
      [coffee.replace('pvjluez', 'pvjluzz'), write([secretField, descriptionField]), 'lnbc1', ''].map(readOwnInvoice),
    ).toEqual([null, null, null, null]);
  });
});
