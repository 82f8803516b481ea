import { hex } from '@scure/base';
import { keyAggExport, keyAggregate, nonceAggregate, nonceGen, Session } from '@scure/btc-signer/musig2.js';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { describe, expect, test } from 'vitest';
import { asPreimage, asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { musigKey, newNonce, type JointKey } from '../../engine/legs/musig.ts';
import { htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import {
  isKeySpend,
  jointKeyOf,
  outputsOf,
  purposeOf,
  readKeySpend,
  type KeySpend,
} from '../../engine/legs/onchain/key-spend.ts';
import { readRawTx, type RawTransaction } from '../../engine/legs/raw-tx.ts';
import { publicKeyOf, taggedHash } from '../../engine/legs/secp256k1.ts';
import { hash160Of } from '../../engine/legs/secret.ts';
import { chanceFrom } from '../crash/support/chance.ts';
import { signedKeySpend } from '../support/key-spend.ts';
import { scriptFault } from '../../engine/sandbox/world/bitcoin/interpreter.ts';
import { parseTx } from '../../engine/sandbox/world/bitcoin/tx.ts';

const server = new Uint8Array(32).fill(1);
const user = new Uint8Array(32).fill(2);
const terms: MusigHtlcTerms = {
  form: 'musig',
  hash: hash160Of(asPreimage(new Uint8Array(32).fill(0x2a))),
  refundHeight: 800_000,
  claimer: publicKeyOf(user),
  refunder: publicKeyOf(server),
  provider: 'refunder',
  sizeGuard: true,
};
const { pkScript, internal, root } = htlcScript(terms);
const coin = { txid: '11'.repeat(32), vout: 0, amount: sats(100_000) };
const own = { script: pkScript, amount: coin.amount };

interface Made {
  readonly inputs?: readonly { readonly txid: string; readonly vout: number }[];
  readonly amount?: bigint;
  readonly to?: string;
}

/** The transaction of facts/onchain.md 12, or another one. */
function spendTx({ inputs = [coin], amount = 99_000n, to = `0014${'33'.repeat(20)}` }: Made = {}): Transaction {
  const tx = new Transaction();
  tx.version = 2;
  for (const { txid, vout } of inputs) tx.addInput(hex.decode(txid).reverse(), vout, 0xfffffffd);
  tx.addOutput(hex.decode(to), amount);
  return tx;
}
const read = (made: Made = {}, index = 0, prevouts = [own]): KeySpend | string =>
  readKeySpend(terms, coin, { transaction: spendTx(made).toBuffer(), index, prevouts });
function spendOf(...args: Parameters<typeof read>): KeySpend {
  const spend = read(...args);
  return typeof spend === 'string' ? expect.fail(spend) : spend;
}
const rawOf = (bytes: Uint8Array): RawTransaction => readRawTx(bytes) ?? expect.fail('it is no transaction');

describe('the vectors of published clients', () => {
  const { sighash } = spendOf();
  const joint = jointKeyOf(terms);
  const tweak = taggedHash('TapTweak', internal, root);
  const output = pkScript.subarray(2);

  test('what is signed, and the tweak of the key', () => {
    expect([hex.encode(sighash), hex.encode(tweak)]).toEqual([
      'a3ed06421285cadfb817967ebb272feec6683296f55ffa01887735b3b000c58b',
      '16bce531e062d19934a62ab6de72c051017089f7d9130631e99b19fe6d416088',
    ]);
  });

  test('nonces, partial signatures and signature', () => {
    const nonceOf = (secret: Uint8Array, rand: number) =>
      nonceGen(publicKeyOf(secret), secret, output, sighash, undefined, new Uint8Array(32).fill(rand));
    const nonces = [nonceOf(server, 5), nonceOf(user, 6)];
    const shown = nonces.map((nonce) => nonce.public);
    const session = new Session(nonceAggregate(shown), [joint.provider, joint.client], sighash, [tweak], [true]);
    const partials = [session.sign(nonces[0]?.secret ?? server, server), session.sign(nonces[1]?.secret ?? user, user)];
    expect({
      shown: shown.map(hex.encode),
      partials: partials.map(hex.encode),
      signature: hex.encode(session.partialSigAgg(partials)),
    }).toEqual({
      shown: [
        '034e3c807addb565126740abf34ea9bccc979628a5504e849d6664f7bad169b3bb022fcb24a33a8fe9c03f01cb317af9120afc2cfdc4e942503b2dcd1490593619c0',
        '03c66b457a17a7e62898d94bc7993ef52e05eb7d5cbecd9e68781944299957edf20288c0e13d3b406da2960a06950f4f44d0be47ef46d3f15ff92826311975f0971e',
      ],
      partials: [
        '981578d20a863f32a331731735c5e7a418ee7034fe80e2ca10084f90c17efcde',
        'fc5e1fdfb42c7ca174e10937825bcd2f0d18d05084f77f099c4138fdc5f4ae94',
      ],
      signature:
        '8522a03eeda448f675cca69245c547d2ded39bdeb7df4dbde56a1e06367b1ac2245086aae3335a5dadf76bd985162a587cc6c208ee81557a9985ef2db4d052ed',
    });
  });
});

describe('a spend by the key of both', () => {
  const joint = jointKeyOf(terms);
  function together(spend: KeySpend, of: JointKey = joint): Uint8Array {
    const theirs = newNonce(of, spend.sighash, user);
    const ours = newNonce(of, spend.sighash, server);
    const partial = ours.sign(theirs.shown, server)?.partial ?? expect.fail('no partial');
    return theirs.sign(ours.shown, user)?.join(partial) ?? expect.fail('no signature');
  }

  test('is taken by the chain, costs 99 virtual bytes, and is known for what it is', () => {
    const spend = spendOf();
    const bytes = signedKeySpend(spend, 0, together(spend));
    expect(scriptFault(parseTx(bytes), [own] as never)).toBeNull();
    const raw = rawOf(bytes);
    expect([raw.txid, raw.vsize]).toEqual([spend.txid, 99]);
    expect(isKeySpend(terms, coin, raw)).toBe(true);
    expect(isKeySpend(terms, { ...coin, amount: sats(1) }, raw)).toBe(false);
    expect(isKeySpend(terms, { ...coin, vout: 1 }, raw)).toBe(false);
    expect(isKeySpend(terms, coin, rawOf(signedKeySpend(spend, 0, new Uint8Array(64).fill(7))))).toBe(false);
    expect(isKeySpend(terms, coin, rawOf(spend.bytes))).toBe(false);
  });

  test('may take other coins too, all of which are signed for', () => {
    const other = { txid: '22'.repeat(32), vout: 5 };
    const foreign = { script: hex.decode(`5120${'44'.repeat(32)}`), amount: sats(7_000) };
    const spend = spendOf({ inputs: [other, coin] }, 1, [foreign, own]);
    expect(spend.sighash).not.toEqual(
      spendOf({ inputs: [other, coin] }, 1, [{ ...foreign, amount: sats(7_001) }, own]).sighash,
    );
    const bytes = signedKeySpend(spend, 1, together(spend));
    expect(isKeySpend(terms, coin, rawOf(bytes))).toBe(true);
  });

  test.each<[string, string | KeySpend]>([
    ['another coin', read({ inputs: [{ ...coin, vout: 1 }] })],
    ['the coin at another input', read({ inputs: [{ txid: '22'.repeat(32), vout: 5 }, coin] }, 0, [own, own])],
    ['the coin twice', read({ inputs: [coin, coin] }, 0, [own, own])],
    ['an input that it has not', read({}, 1)],
    ['one of another amount', read({}, 0, [{ ...own, amount: sats(99_999) }])],
    ['one of another script', read({}, 0, [{ ...own, script: hex.decode(`0014${'33'.repeat(20)}`) }])],
    ['others that are not known', read({ inputs: [coin, { txid: '22'.repeat(32), vout: 5 }] })],
    [
      'nothing that could be read',
      readKeySpend(terms, coin, { transaction: Uint8Array.of(1, 2, 3), index: 0, prevouts: [own] }),
    ],
    [
      'bytes behind its end',
      readKeySpend(terms, coin, {
        transaction: Uint8Array.of(...spendTx().toBuffer(), 0),
        index: 0,
        prevouts: [own],
      }),
    ],
    [
      'more than is relayed',
      readKeySpend(terms, coin, {
        transaction: spendTx({ to: '6a'.repeat(100_000) }).toBuffer(),
        index: 0,
        prevouts: [own],
      }),
    ],
  ])('is not signed where it takes %s', (_, answer) => {
    expect(answer).toBeTypeOf('string');
  });

  test('is signed the same whatever witness the request has', () => {
    const tx = spendTx();
    const plain = spendOf();
    tx.setWitness(0, [new Uint8Array(64).fill(9)]);
    const dressed = readKeySpend(terms, coin, { transaction: tx.toBuffer(), index: 0, prevouts: [own] });
    expect(dressed).toEqual(plain);
  });

  test('is read by what was noted for the same coin and outputs', () => {
    const spend = spendOf();
    const { txid, sighash, outputs } = spend;
    const raw = rawOf(spend.bytes);
    expect(outputs).toEqual(outputsOf(raw));
    const given = { coin, txid, sighash, outputs };
    expect(purposeOf(coin, raw, [{ ...given, purpose: 'claim' }])).toBe('claim');
    expect(purposeOf(coin, raw, [{ ...given, purpose: 'refund' }])).toBe('refund');
    expect(purposeOf(coin, raw, [])).toBeNull();
    expect(purposeOf({ ...coin, vout: 1 }, raw, [{ ...given, purpose: 'claim' }])).toBeNull();
    for (const other of [{ amount: 98_999n }, { to: `0014${'34'.repeat(20)}` }])
      expect(purposeOf(coin, rawOf(spendTx(other).toBuffer()), [{ ...given, purpose: 'claim' }])).toBeNull();
  });
});

describe('a nonce', () => {
  const joint = jointKeyOf(terms);
  const message = new Uint8Array(32).fill(8);
  const theirs = () => newNonce(joint, message, user);

  test('signs once, whatever came of the first time', () => {
    for (const first of [theirs().shown, new Uint8Array(66)]) {
      const nonce = newNonce(joint, message, server);
      nonce.sign(first, server);
      expect(() => nonce.sign(theirs().shown, server)).toThrow(/once/);
    }
  });

  test('says of a partial whether it fits, as often as it is asked, and signs all the same', () => {
    const spend = spendOf();
    const [ours, theirs, another] = [server, user, user].map((key) => newNonce(jointKeyOf(terms), spend.sighash, key));
    const partial = theirs!.sign(ours!.shown, user)!.partial;
    const wrong = [
      [theirs!.shown, new Uint8Array(32)],
      [theirs!.shown, new Uint8Array(32).fill(255)],
      [theirs!.shown, partial.subarray(1)],
      [another!.shown, partial],
      [new Uint8Array(66), partial],
      [new Uint8Array(), partial],
    ] as const;
    for (const [nonce, half] of wrong) expect(ours!.fits(nonce, half)).toBe(false);
    expect([ours!.fits(theirs!.shown, partial), ours!.fits(theirs!.shown, partial)]).toEqual([true, true]);
    expect(ours!.sign(theirs!.shown, server)?.join(partial)).not.toBeNull();
  });

  test('is another one each time', () => {
    const shown = new Set(Array.from({ length: 50 }, () => hex.encode(newNonce(joint, message, server).shown)));
    expect(shown.size).toBe(50);
  });

  test('is of one of both keys only', () => {
    expect(() => newNonce(joint, message, new Uint8Array(32).fill(3))).toThrow(/none of the two/);
  });

  test.each([new Uint8Array(66), new Uint8Array(65).fill(2), new Uint8Array(66).fill(4)])(
    'makes nothing beside a nonce of the other side that is none',
    (nonce) => {
      expect(newNonce(joint, message, server).sign(nonce, server)).toBeNull();
    },
  );

  test('joins no partial that is none, or is for something else', () => {
    const mine = newNonce(joint, message, user);
    const other = newNonce(joint, message, server);
    const partial = other.sign(mine.shown, server)?.partial ?? expect.fail('no partial');
    const signed = mine.sign(other.shown, user) ?? expect.fail('no partial');
    const wrong = partial.map((byte, i) => (i === 31 ? byte ^ 1 : byte));
    for (const one of [wrong, new Uint8Array(32), new Uint8Array(32).fill(0xff), new Uint8Array(31), signed.partial])
      expect(signed.join(one)).toBeNull();
    expect(signed.join(partial)).toHaveLength(64);
  });
});

describe('the aggregate key', () => {
  const { next } = chanceFrom(327);
  const key = () => publicKeyOf(Uint8Array.from({ length: 32 }, () => Math.floor(next() * 256)));

  test('is the one of the library, for keys in either order, of either parity, and equal ones', () => {
    const pairs = Array.from({ length: 40 }, () => [key(), key()] as const);
    for (const [one, other] of [...pairs, ...pairs.map(([one]) => [one, one] as const)]) {
      expect(musigKey(one, other)).toEqual(keyAggExport(keyAggregate([one, other])));
      expect(musigKey(other, one)).toEqual(keyAggExport(keyAggregate([other, one])));
    }
  });

  test('is made of no key that is no point', () => {
    const none = asPublicKey(Uint8Array.of(2, ...new Uint8Array(31).fill(0xff), 0xff));
    expect(() => musigKey(none, key())).toThrow();
    expect(() => musigKey(key(), none)).toThrow();
  });
});
