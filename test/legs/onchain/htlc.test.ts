import { hex } from '@scure/base';
import { Transaction } from '@scure/btc-signer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it, test } from 'vitest';
import { asHash160, asPreimage, asPublicKey, type Preimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { bytesOf } from '../../../engine/quote/gas.ts';
import { unix } from '../../../engine/domain/time.ts';
import { htlcAddress, htlcScript, type TimeHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { buildHtlcSpend, readHtlcSpend } from '../../../engine/legs/onchain/htlc-spend.ts';
import { readTx } from '../../../engine/legs/psbt.ts';
import { type RawTransaction, readRawTx } from '../../../engine/legs/raw-tx.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { scriptFault } from '../../../engine/sandbox/world/bitcoin/interpreter.ts';
import { parseTx } from '../../../engine/sandbox/world/bitcoin/tx.ts';

// The keys, secret and scripts of facts/onchain.md 1: private keys of 01 and 02, secret of 2a.
const server = new Uint8Array(32).fill(1);
const user = new Uint8Array(32).fill(2);
const preimage = asPreimage(new Uint8Array(32).fill(0x2a));
const terms: TimeHtlcTerms = {
  form: 'p2tr',
  hash: hash160Of(preimage),
  claimer: publicKeyOf(server),
  refunder: publicKeyOf(user),
  refundLocktime: unix(1_700_000_000),
};

describe('the Taproot HTLC of published clients', () => {
  const script = htlcScript(terms);
  if (script.form !== 'p2tr') throw new TypeError('asked for Taproot');

  it('has their leaves, output and addresses', () => {
    expect({
      hash: hex.encode(terms.hash),
      claim: hex.encode(script.claim.script),
      refund: hex.encode(script.refund.script),
      output: hex.encode(script.pkScript),
      address: htlcAddress(terms, 'regtest'),
      swapped: htlcAddress({ ...terms, claimer: terms.refunder, refunder: terms.claimer }, 'regtest'),
    }).toEqual({
      hash: '60e2623d74433f065c1a838cd323343693deb97a',
      claim:
        '201b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078fad82012088a91460e2623d74433f065c1a838cd323343693deb97a87',
      refund: '0400f15365b175204d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766ac',
      output: '5120efe14e071163ae74d28b62c6c65cd508126100c78e6047e3a95b623bfba138f8',
      address: 'bcrt1pals5upc3vwh8f55tvtrvvhx4pqfxzqx83esy0caftd3rh7ap8ruqv4l9af',
      swapped: 'bcrt1pz387d85zzsp3l2zwf32fafuxthw04uke2lg8495lz60hscf8zqtsad46t9',
    });
  });

  it('has the address of their fixture on signet', () => {
    const keyOf = (x: string) => asPublicKey(hex.decode(`02${x}`));
    const fixture: TimeHtlcTerms = {
      form: 'p2tr',
      hash: asHash160(hex.decode('9befb12985069ca625bce37f13af8acbb66e46bb')),
      claimer: keyOf('6c932b95705b07c4236a1abfabe283399774449914f6c4d7faeb30fd7f3c6b0e'),
      refunder: keyOf('d149150a0c344bae35cfe0cd237e50bd41ec56fe7c2a2f5f8509911ec8c5a0e2'),
      refundLocktime: unix(1_769_752_815),
    };
    expect(htlcAddress(fixture, 'signet')).toBe('tb1pmflkz8yplmk3v8htfmda2dqcnxgkj6fldrzslq90qc3y3h235spq6juwps');
  });
});

test('the witness script holds both conditions, with keys of 33 bytes', () => {
  const script = htlcScript({ ...terms, form: 'p2wsh' });
  expect(script.form === 'p2wsh' && hex.encode(script.witnessScript)).toBe(
    `6382012088a91460e2623d74433f065c1a838cd323343693deb97a88` +
      `21${hex.encode(terms.claimer)}670400f15365b17521${hex.encode(terms.refunder)}68ac`,
  );
  expect(htlcAddress({ ...terms, form: 'p2wsh' }, 'regtest')).toMatch(/^bcrt1q.{58}$/);
});

test('a locktime that would be a block height is refused', () => {
  expect(() => htlcScript({ ...terms, refundLocktime: unix(499_999_999) })).toThrow(/unix seconds/);
});

describe.each<TimeHtlcTerms['form']>(['p2tr', 'p2wsh'])('a coin in an HTLC written as %s', (form) => {
  const own = { ...terms, form };
  const coin = { txid: '11'.repeat(32), vout: 3, amount: sats(100_000) };
  const to = hex.decode(`0014${'77'.repeat(20)}`);
  const ask = { coin, to, feeRate: 5, mostFee: sats(50_000) };
  const faultOf = (bytes: Uint8Array, of: TimeHtlcTerms = own) =>
    scriptFault(parseTx(bytes), [{ amount: coin.amount, script: htlcScript(of).pkScript }] as never);
  const spent = (bytes: Uint8Array): RawTransaction => readRawTx(bytes) ?? expect.fail('it is no transaction');

  const claim = () => buildHtlcSpend(own, { ...ask, preimage, secret: server }) ?? expect.fail('it is worth it');
  const refund = () => buildHtlcSpend(own, { ...ask, secret: user }) ?? expect.fail('it is worth it');

  it('is claimed by the secret and the claimer', () => {
    const made = claim();
    expect(faultOf(made.bytes)).toBeNull();
    expect(readHtlcSpend(own, coin, spent(made.bytes))).toEqual({ by: 'claim', preimage });
  });

  it('is taken back by the refunder at the locktime', () => {
    const made = refund();
    expect(faultOf(made.bytes)).toBeNull();
    expect(spent(made.bytes).lockTime).toBe(own.refundLocktime);
    expect(readHtlcSpend(own, coin, spent(made.bytes))).toEqual({ by: 'refund' });
  });

  it.each([
    ['claimed by the refunder', { preimage, secret: user }],
    ['taken back by the claimer', { secret: server }],
    ['claimed with another secret', { preimage: asPreimage(new Uint8Array(32).fill(9)), secret: server }],
  ])('is not %s', (_, by) => {
    expect(faultOf(buildHtlcSpend(own, { ...ask, ...by })?.bytes ?? expect.fail('built'))).not.toBeNull();
  });

  it('is not taken back by a transaction of an earlier locktime', () => {
    const { bytes } = refund();
    const early = bytes.slice();
    new DataView(early.buffer).setUint32(early.length - 4, own.refundLocktime - 1, true);
    expect(faultOf(early)).toBe('Locktime requirement not satisfied');
  });

  // What no node relays a miner may take all the same, from whoever pays it for that.
  const strange: readonly (readonly [string, (witness: readonly Uint8Array[]) => Uint8Array[]])[] =
    form === 'p2tr'
      ? [
          ['an annex', (witness) => [...witness, Uint8Array.of(0x50)]],
          ['an annex of many bytes', (witness) => [...witness, new Uint8Array(900).fill(0x50)]],
        ]
      : [['a selector of another value', (witness) => witness.toSpliced(-2, 1, Uint8Array.of(7, 7))]];
  it.each(strange)('fault 16, bitcoin: shows its secret in a claim with %s', (_, changed) => {
    const tx = readTx(claim().bytes) ?? expect.fail('it is no transaction');
    tx.updateInput(0, { finalScriptWitness: changed(tx.getInput(0).finalScriptWitness ?? []) }, true);
    const mined = tx.toBytes(true, true);
    if (form === 'p2wsh') expect(faultOf(mined)).toBe('OP_IF/NOTIF argument must be minimal');
    expect(readHtlcSpend(own, coin, spent(mined))).toEqual({ by: 'claim', preimage });
  });

  it('fault 276, bitcoin: is no claim where what takes it back carries the secret', () => {
    // As its annex, or as the selector: nothing but zeros is false.
    const secret = asPreimage(form === 'p2tr' ? Uint8Array.of(0x50, ...new Uint8Array(31)) : new Uint8Array(32));
    const of: TimeHtlcTerms = { ...own, hash: hash160Of(secret) };
    const { bytes } = buildHtlcSpend(of, { ...ask, secret: user }) ?? expect.fail('built');
    const tx = readTx(bytes) ?? expect.fail('it is no transaction');
    const witness = tx.getInput(0).finalScriptWitness ?? [];
    const carrying = form === 'p2tr' ? [...witness, secret] : witness.toSpliced(1, 1, secret);
    tx.updateInput(0, { finalScriptWitness: carrying }, true);
    const mined = tx.toBytes(true, true);
    if (form === 'p2wsh') expect(faultOf(mined, of)).toBe('OP_IF/NOTIF argument must be minimal');
    expect(readHtlcSpend(of, coin, spent(mined))).toEqual({ by: 'refund' });
  });

  it.each([31, 33, 64])('fault 18, bitcoin: is not claimed by a secret of %i bytes, whatever its hash', (length) => {
    const long = new Uint8Array(length).fill(3) as Preimage;
    const of: TimeHtlcTerms = { ...own, hash: hash160Of(long) };
    const made = buildHtlcSpend(of, { ...ask, preimage: long, secret: server }) ?? expect.fail('built');
    expect(faultOf(made.bytes, of)).not.toBeNull();
    expect(readHtlcSpend(of, coin, spent(made.bytes))).toEqual({ by: 'unknown' });
  });

  it('pays what was asked, and the size that it was reckoned with', () => {
    for (const made of [claim(), refund()]) {
      const { vsize } = Transaction.fromRaw(made.bytes, { allowUnknownOutputs: true, disableScriptCheck: true });
      expect(Number(made.fee)).toBeGreaterThanOrEqual(5 * vsize);
      expect(Number(made.fee)).toBeLessThanOrEqual(5 * (vsize + 1));
      expect(made.capped).toBe(false);
    }
  });

  it('is priced by no less than it takes when it pays a Taproot output', () => {
    const to = new Uint8Array([0x51, 32, ...new Uint8Array(32).fill(1)]);
    const sizes = [{ preimage, secret: server }, { secret: user }].map((by) => {
      const made = buildHtlcSpend(own, { ...ask, ...by, to }) ?? expect.fail('built');
      return Transaction.fromRaw(made.bytes, { allowUnknownOutputs: true, disableScriptCheck: true }).vsize;
    });
    const [claimSize = 0, refundSize = 0] = sizes;
    expect([claimSize <= bytesOf.claim, refundSize <= bytesOf.refund, claimSize > bytesOf.claim - 20]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('costs no more than allowed, and is left where a sat a byte would leave dust', () => {
    const capped = buildHtlcSpend(own, { ...ask, feeRate: 10_000, preimage, secret: server });
    expect([capped?.fee, capped?.capped]).toEqual([sats(50_000), true]);
    const dust = { ...coin, amount: sats(400) };
    expect(buildHtlcSpend(own, { ...ask, coin: dust, preimage, secret: server })).toBeNull();
  });

  it('tells nothing of a refund by another script, a wrong secret, or of another coin', () => {
    const other = { ...own, refundLocktime: unix(own.refundLocktime + 1) };
    const strange = buildHtlcSpend(other, { ...ask, preimage, secret: server }) ?? expect.fail('built');
    // A secret is one in whatever script: that the coin has another, only its own chain tells.
    expect(readHtlcSpend(own, coin, spent(strange.bytes))).toEqual({ by: 'claim', preimage });
    const back = buildHtlcSpend(other, { ...ask, secret: user }) ?? expect.fail('it is worth it');
    expect(readHtlcSpend(own, coin, spent(back.bytes))).toEqual({ by: 'unknown' });
    const wrong = buildHtlcSpend(own, { ...ask, preimage: asPreimage(new Uint8Array(32).fill(9)), secret: server });
    expect(readHtlcSpend(own, coin, spent(wrong?.bytes ?? expect.fail('built')))).toEqual({ by: 'unknown' });
    expect(readHtlcSpend(own, { ...coin, vout: 4 }, spent(claim().bytes))).toBeNull();
  });
});

test.each([[[0]], [[0, 0]], [[0x80]]])(
  'a witness script is taken back by any selector that is false: %j',
  (selector) => {
    const coin = { txid: '11'.repeat(32), vout: 3, amount: sats(100_000) };
    const own = { ...terms, form: 'p2wsh' } as const;
    const to = hex.decode(`0014${'77'.repeat(20)}`);
    const made = buildHtlcSpend(own, { coin, to, feeRate: 5, mostFee: sats(50_000), secret: user });
    const tx = readTx(made?.bytes ?? expect.fail('built')) ?? expect.fail('it is no transaction');
    const [signature = new Uint8Array(), , script = new Uint8Array()] = tx.getInput(0).finalScriptWitness ?? [];
    tx.updateInput(0, { finalScriptWitness: [signature, Uint8Array.from(selector), script] }, true);
    const mined = readRawTx(tx.toBytes(true, true)) ?? expect.fail('it is no transaction');
    expect(readHtlcSpend(own, coin, mined)).toEqual({ by: 'refund' });
  },
);

test('ECDSA signatures are DER with a low s, as the judge of the sandbox reads them', () => {
  const own = { ...terms, form: 'p2wsh' } as const;
  const to = hex.decode(`0014${'77'.repeat(20)}`);
  for (let vout = 0; vout < 200; vout++) {
    const coin = { txid: '11'.repeat(32), vout, amount: sats(100_000) };
    const made = buildHtlcSpend(own, { coin, to, feeRate: 5, mostFee: sats(50_000), secret: user });
    const [signature = new Uint8Array()] = readRawTx(made?.bytes ?? expect.fail('built'))?.inputs[0]?.witness ?? [];
    expect(signature.at(-1)).toBe(1);
    const read = secp256k1.Signature.fromBytes(signature.subarray(0, -1), 'der');
    expect(read.hasHighS()).toBe(false);
  }
});

test('a locktime that no transaction can have is refused, and written as no earlier one', () => {
  // Cut to 32 bits it would be a time that is over.
  expect(() => htlcScript({ ...terms, refundLocktime: unix(2 ** 32 + 1_700_000_000) })).toThrow(/unix seconds/);
  expect(() => htlcScript({ ...terms, refundLocktime: unix(2 ** 32) })).toThrow(/unix seconds/);
  const last = htlcScript({ ...terms, form: 'p2wsh', refundLocktime: unix(2 ** 32 - 1) });
  expect(last.form === 'p2wsh' && hex.encode(last.witnessScript)).toContain('05ffffffff00b175');
});
