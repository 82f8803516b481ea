import { hex } from '@scure/base';
import { Transaction } from '@scure/btc-signer';
import { Transaction as Library } from 'bitcoinjs-lib/src/transaction';
import { describe, expect, it, test } from 'vitest';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { htlcAddress, htlcScript, type MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { locktimeOf } from '../../../engine/legs/onchain/locktime.ts';
import { locktimePassed } from '../../../engine/legs/timelocks.ts';
import { buildHtlcSpend, readHtlcSpend } from '../../../engine/legs/onchain/htlc-spend.ts';
import { musigKey } from '../../../engine/legs/musig.ts';
import { htlcTerms } from '../../../engine/legs/onchain/shape.ts';
import { readRawTx } from '../../../engine/legs/raw-tx.ts';
import { publicKeyOf, schnorrSign } from '../../../engine/legs/secp256k1.ts';
import { hash160Of, sha256Of } from '../../../engine/legs/secret.ts';
import { scriptFault } from '../../../engine/sandbox/world/bitcoin/interpreter.ts';
import { parseTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';

// The keys, secret and height of facts/onchain.md 12.
const server = new Uint8Array(32).fill(1);
const user = new Uint8Array(32).fill(2);
const preimage = asPreimage(new Uint8Array(32).fill(0x2a));
const common = { form: 'musig', hash: hash160Of(preimage), refundHeight: 800_000 } as const;
/** The provider claims, as where a wallet pays an invoice through it. */
const paid: MusigHtlcTerms = {
  ...common,
  claimer: publicKeyOf(server),
  refunder: publicKeyOf(user),
  provider: 'claimer',
  sizeGuard: false,
};
/** The same with the guard: what a client locks against an Arkade coin. */
const source: MusigHtlcTerms = { ...paid, sizeGuard: true };
/** The client claims. */
const target: MusigHtlcTerms = {
  ...common,
  claimer: publicKeyOf(user),
  refunder: publicKeyOf(server),
  provider: 'refunder',
  sizeGuard: true,
};
const internal = '1fc559d9c96c5953895d3150e64ebf3dd696a0b08e758650b48ff6251d7e60d1';

function made(terms: MusigHtlcTerms) {
  const script = htlcScript(terms);
  if (script.form !== 'musig') throw new TypeError('asked for an aggregate key');
  return script;
}

describe('the Taproot HTLC with an aggregate key, of published clients', () => {
  it('is of their keys and hashes', () => {
    expect([publicKeyOf(server), publicKeyOf(user), sha256Of(preimage), hash160Of(preimage)].map(hex.encode)).toEqual([
      '031b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f',
      '024d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766',
      '544e62cee8033709e389e5b2755343d0d0fa8c4850215cfb6331717e80d1aea3',
      '60e2623d74433f065c1a838cd323343693deb97a',
    ]);
  });

  it('has the key of both, the provider first, in no other order', () => {
    expect(hex.encode(musigKey(publicKeyOf(server), publicKeyOf(user)))).toBe(internal);
    expect(hex.encode(musigKey(publicKeyOf(user), publicKeyOf(server)))).toMatch(/^99a9da2f/);
    expect([paid, source, target].map((terms) => hex.encode(made(terms).internal))).toEqual([
      internal,
      internal,
      internal,
    ]);
  });

  it('has their leaves, root, address and control block where the provider claims', () => {
    const script = made(paid);
    expect({
      claim: hex.encode(script.claim.script),
      refund: hex.encode(script.refund.script),
      root: hex.encode(script.root),
      address: htlcAddress(paid, 'regtest'),
      control: hex.encode(script.claim.controlBlock),
    }).toEqual({
      claim:
        'a91460e2623d74433f065c1a838cd323343693deb97a88201b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078fac',
      refund: '204d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766ad0300350cb1',
      root: '52116c795f294da8e5bd98f6da67d2ecb55dfe317a389ae2e0a4476bc73697ba',
      address: 'bcrt1ph77e6mrvjqx7kh5zelrgv8nnapva5x8wvn6suhte3upll67xj6gs5qp9vv',
      control: `c1${internal}9fc802b1a79c747b9f9c68e7fb6bdbbf9c1afbea79c9711125231a11095b644b`,
    });
  });

  it('has their leaves, root, address and control block where the client claims', () => {
    const script = made(target);
    expect({
      claim: hex.encode(script.claim.script),
      refund: hex.encode(script.refund.script),
      root: hex.encode(script.root),
      output: hex.encode(script.pkScript),
      address: htlcAddress(target, 'regtest'),
      control: hex.encode(script.claim.controlBlock),
    }).toEqual({
      claim:
        '82012088a91460e2623d74433f065c1a838cd323343693deb97a88204d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766ac',
      refund: '201b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078fad0300350cb1',
      root: 'e29b9541f6f9c9b5ead171e0fd0641405916a65fa6a35f93349f1669220ac23b',
      output: '51200b8a4ab901da8de1b705515d040c0599b004a952da7474126ddbab3c0edfa426',
      address: 'bcrt1ppw9y4wgpm2x7rdc929wsgrq9nxcqf22jmf68gyndmw4ncrkl5snqslenuq',
      control: `c1${internal}4f08db12184514ba93de2cd196f52868338c8a2c50987b3f567b4a61b4b70a6a`,
    });
  });

  it('has their root, address and parity where the provider claims and the secret is 32 bytes', () => {
    const script = made(source);
    expect(hex.encode(script.claim.script)).toBe(`82012088${hex.encode(made(paid).claim.script)}`);
    expect(hex.encode(script.root)).toBe('16ce9af7e4b18c904bce5cd938fc2a14a0b0281f3fb1ff99e854f0151dbfe9f2');
    expect(htlcAddress(source, 'regtest')).toBe('bcrt1pemzvv89mvluvgydkefeqnfqnv8n6974uqvndc6qtpwscsrdajxvsjmgfzy');
    expect(script.claim.controlBlock[0]).toBe(0xc0);
  });

  it.each([0, 499_999_999 + 1, 1.5, -1, 2 ** 32])('refuses %d as a height', (refundHeight) => {
    expect(() => htlcScript({ ...target, refundHeight })).toThrow(/block height/);
  });

  it.each([1, 16, 17, 127, 128, 499_999_999])('writes height %i so that it is spent there', (refundHeight) => {
    const terms = { ...target, refundHeight };
    const coin = { txid: '11'.repeat(32), vout: 0, amount: sats(100_000) };
    const to = hex.decode(`0014${'77'.repeat(20)}`);
    const spend = buildHtlcSpend(terms, { coin, to, feeRate: 5, mostFee: sats(50_000), secret: server });
    expect(
      scriptFault(parseTx(spend?.bytes ?? expect.fail('built')), [
        { amount: coin.amount, script: made(terms).pkScript },
      ] as never),
    ).toBeNull();
  });
});

describe.each([
  ['the provider claims', paid, server, user],
  ['the provider claims, of 32 bytes', source, server, user],
  ['the client claims', target, user, server],
] as const)('a coin that %s', (_, own, claimer, refunder) => {
  const coin = { txid: '11'.repeat(32), vout: 3, amount: sats(100_000) };
  const to = hex.decode(`0014${'77'.repeat(20)}`);
  const ask = { coin, to, feeRate: 5, mostFee: sats(50_000) };
  const faultOf = (bytes: Uint8Array) =>
    scriptFault(parseTx(bytes), [{ amount: coin.amount, script: htlcScript(own).pkScript }] as never);
  const spent = (bytes: Uint8Array) => readRawTx(bytes) ?? expect.fail('it is no transaction');
  const claim = () => buildHtlcSpend(own, { ...ask, preimage, secret: claimer }) ?? expect.fail('it is worth it');
  const refund = () => buildHtlcSpend(own, { ...ask, secret: refunder }) ?? expect.fail('it is worth it');

  it('is claimed alone by the secret and the claimer', () => {
    expect(faultOf(claim().bytes)).toBeNull();
    expect(readHtlcSpend(own, coin, spent(claim().bytes))).toEqual({ by: 'claim', preimage });
  });

  it('is taken back alone by the refunder at the height, and no block earlier', () => {
    const { bytes } = refund();
    expect(faultOf(bytes)).toBeNull();
    expect(spent(bytes).lockTime).toBe(own.refundHeight);
    expect(readHtlcSpend(own, coin, spent(bytes))).toEqual({ by: 'refund' });
    const early = Library.fromBuffer(bytes);
    early.locktime = own.refundHeight - 1;
    const { pkScript, refund: leaf } = made(own);
    const message = early.hashForWitnessV1(0, [pkScript], [coin.amount], Library.SIGHASH_DEFAULT, leaf.hash);
    early.setWitness(0, [schnorrSign(message, refunder), leaf.script, leaf.controlBlock]);
    expect(faultOf(early.toBuffer())).toBe('Locktime requirement not satisfied');
  });

  it.each([
    ['claimed by the refunder', { preimage, secret: refunder }],
    ['taken back by the claimer', { secret: claimer }],
    ['claimed with another secret', { preimage: asPreimage(new Uint8Array(32).fill(9)), secret: claimer }],
  ])('is not %s', (__, by) => {
    expect(faultOf(buildHtlcSpend(own, { ...ask, ...by })?.bytes ?? expect.fail('built'))).not.toBeNull();
  });

  it('says of a spend by the aggregate key that it shows neither secret nor purpose', () => {
    const keyed = (...witness: Uint8Array[]) => ({ ...coin, sequence: 0, witness, candidates: [] });
    const of = (...witness: Uint8Array[]) => ({ ...spent(claim().bytes), inputs: [keyed(...witness)] });
    const annex = Uint8Array.of(0x50, 1);
    for (const length of [64, 65]) {
      expect(readHtlcSpend(own, coin, of(new Uint8Array(length)))).toEqual({ by: 'key' });
      expect(readHtlcSpend(own, coin, of(new Uint8Array(length), annex))).toEqual({ by: 'key' });
    }
    expect(readHtlcSpend(own, coin, of(new Uint8Array(63)))).toEqual({ by: 'unknown' });
    expect(readHtlcSpend(own, coin, of())).toEqual({ by: 'unknown' });
  });

  it('fault 276, bitcoin: is no claim where its refund carries the secret as its annex', () => {
    const annexed = asPreimage(Uint8Array.of(0x50, ...new Uint8Array(31).fill(7)));
    const of = { ...own, hash: hash160Of(annexed) };
    const { bytes } = buildHtlcSpend(of, { ...ask, secret: refunder }) ?? expect.fail('built');
    const tx = Transaction.fromRaw(bytes, { allowUnknownOutputs: true, disableScriptCheck: true });
    tx.updateInput(0, { finalScriptWitness: [...(tx.getInput(0).finalScriptWitness ?? []), annexed] }, true);
    expect(readHtlcSpend(of, coin, spent(tx.toBytes(true, true)))).toEqual({ by: 'refund' });
  });

  it('pays what was asked: 141 virtual bytes at most for a claim, 126 for a refund', () => {
    for (const [spend, most] of [
      [claim(), 141],
      [refund(), 126],
    ] as const) {
      const { vsize } = Transaction.fromRaw(spend.bytes, { allowUnknownOutputs: true, disableScriptCheck: true });
      expect(vsize).toBeLessThanOrEqual(most);
      expect(Number(spend.fee)).toBeGreaterThanOrEqual(5 * vsize);
      expect(Number(spend.fee)).toBeLessThanOrEqual(5 * (vsize + 1));
    }
  });
});

test('a refund by height is open once the tip is at it; one by time once median time past is above it', () => {
  const at = (height: number | null) => locktimePassed(locktimeOf(target), { height, mtp: unix(4_000_000_000) });
  expect([at(null), at(799_999), at(800_000), at(800_001)]).toEqual([false, false, true, true]);
  const time = { form: 'p2tr', refundLocktime: unix(1_700_000_000), ...shared() } as const;
  const by = (mtp: number | null) =>
    locktimePassed(locktimeOf(time), { height: 9_000_000, mtp: mtp === null ? null : unix(mtp) });
  expect([by(null), by(1_700_000_000), by(1_700_000_001)]).toEqual([false, false, true]);
});

function shared() {
  const { hash, claimer, refunder } = target;
  return { hash, claimer, refunder };
}

test('terms are read as they were saved', () => {
  expect(htlcTerms.parse(target)).toEqual(target);
  expect(() => htlcTerms.parse({ ...target, refundLocktime: 1 })).toThrow();
  expect(() => htlcTerms.parse({ ...target, form: 'p2tr' })).toThrow();
  const { sizeGuard: _, ...short } = target;
  expect(() => htlcTerms.parse(short)).toThrow();
});
