import { describe, expect, test } from 'vitest';
import { ConditionWitness, setArkPsbtField, Transaction } from '@arkade-os/sdk';
import { RawTx, SigHash } from '@scure/btc-signer';
import { TAP_LEAF_VERSION } from '@scure/btc-signer/payment.js';
import { schnorr } from '@noble/curves/secp256k1.js';
import { fromHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Vtxo } from '../../../engine/legs/arkade/vtxo.ts';
import { hash160, vhtlcScript } from '../../../engine/legs/arkade/script.ts';
import { preimageIn, readSpend } from '../../../engine/legs/arkade/spend.ts';
import { readRawTx } from '../../../engine/legs/raw-tx.ts';
import { leafMessageOf } from '../../../engine/legs/taproot-message.ts';
import { clientScript, coinOf, forfeit, poke, preimage, script, secret, spend, terms } from './support.ts';

const [one, two] = [coinOf(1), coinOf(2)];

function ref(coin: Vtxo): { txid: string; vout: number; amount: Vtxo['amount'] } {
  return { ...coin.outpoint, amount: coin.amount };
}

function read(tx: Transaction, coin = one): ReturnType<typeof readSpend> {
  return readSpend(terms, tx.toPSBT(), ref(coin));
}

const other = new Uint8Array(32).fill(9);
const claim = { leaf: 'claim', preimage };

describe('a spend of our coin', () => {
  test('is a claim when the preimage is anywhere among the witness items', () => {
    const items = [other, preimage.subarray(1), Uint8Array.from([...preimage, 0]), preimage];
    const { arkTx, checkpoints } = spend(script.leaf.claim, [one, two], [secret.receiver], { condition: items });
    const checkpoint = checkpoints[1] as Transaction;
    setArkPsbtField(checkpoint, 0, ConditionWitness, [preimage]);
    expect([read(arkTx), read(arkTx, two), read(checkpoint, two), read(checkpoint, one)]).toEqual([
      claim,
      claim,
      claim,
      null,
    ]);
  });

  test('is no claim without the preimage, or with one of another length or hash', () => {
    const withItems = (condition?: Uint8Array[]): Transaction =>
      spend(script.leaf.claim, [one], [secret.receiver], condition ? { condition } : {}).arkTx;
    expect([read(withItems()), read(withItems([other])), read(withItems([preimage.subarray(1)]))]).toEqual([
      null,
      null,
      null,
    ]);
    const short = preimage.subarray(1);
    expect(preimageIn(hash160(short), withItems([short]).toPSBT())).toBeNull();
  });

  test('is a claim that nobody signed when the receiver did not', () => {
    const by = (keys: Uint8Array[]): Transaction =>
      spend(script.leaf.claim, [one], keys, { condition: [preimage] }).arkTx;
    expect([read(by([])), read(by([secret.operator]))]).toEqual([1, 2].map(() => ({ ...claim, unsigned: true })));
  });

  test('is a refund when everyone but the operator signed the leaf', () => {
    const both = [secret.sender, secret.receiver];
    const alone = spend(script.leaf['refund-without-receiver'], [one, two], [secret.sender]);
    expect([
      read(spend(script.leaf.refund, [one], both).arkTx),
      read(spend(script.leaf.refund, [one], both).checkpoints[0] as Transaction),
      read(alone.arkTx),
      read(alone.arkTx, two),
      read(alone.checkpoints[0] as Transaction),
    ]).toEqual([
      { leaf: 'refund' },
      { leaf: 'refund' },
      { leaf: 'refund-without-receiver' },
      { leaf: 'refund-without-receiver' },
      { leaf: 'refund-without-receiver' },
    ]);
  });

  test('is none when a signature is missing, is of somebody else, or is over another amount', () => {
    const lying = spend(script.leaf['refund-without-receiver'], [{ ...one, amount: sats(1_000) }], [secret.sender])
      .checkpoints[0] as Transaction;
    expect([
      read(spend(script.leaf.refund, [one], [secret.sender]).arkTx),
      read(spend(script.leaf.refund, [one], [secret.receiver]).arkTx),
      read(spend(script.leaf['refund-without-receiver'], [one], []).arkTx),
      read(lying),
    ]).toEqual([null, null, null, null]);
  });

  test('is none when the transaction spends another coin, another script or is no transaction', () => {
    const foreign = vhtlcScript({ ...terms, claimDelay: terms.refundDelay });
    const stray = spend(script.leaf.refund, [two], [secret.sender, secret.receiver]).arkTx;
    const checkpoint = spend(script.leaf.refund, [one], [secret.sender, secret.receiver]).checkpoints[0] as Transaction;
    poke(checkpoint, 0, { tapLeafScript: [foreign.leaf['unilateral-claim'].tapLeaf] });
    expect([read(stray), read(checkpoint), readSpend(terms, Uint8Array.of(1, 2, 3), ref(one))]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('through a batch is read from the forfeit', () => {
    const collaborative = Transaction.fromPSBT(forfeit(one));
    collaborative.signIdx(secret.receiver, 0, [SigHash.ALL_ANYONECANPAY]);
    const claimed = new Transaction({ version: 3 });
    claimed.addInput({
      ...one.outpoint,
      index: 0,
      witnessUtxo: { script: script.pkScript, amount: one.amount },
      tapLeafScript: [script.leaf.claim.tapLeaf],
    });
    claimed.addOutput({ script: clientScript, amount: one.amount });
    setArkPsbtField(claimed, 0, ConditionWitness, [preimage]);
    const before = read(claimed);
    claimed.signIdx(secret.receiver, 0);
    expect([read(collaborative), before, read(claimed)]).toEqual([
      { leaf: 'refund' },
      { ...claim, unsigned: true },
      claim,
    ]);
  });

  test('on the chain is read from its witness, by leaves 4, 5 and 6', () => {
    const raw = (
      leaf: 'unilateral-claim' | 'unilateral-refund' | 'unilateral-refund-without-receiver',
      signers: readonly Uint8Array[],
      extra: Uint8Array[] = [],
    ): Uint8Array => {
      const tx = new Transaction({ version: 2, allowUnknown: true });
      tx.addInput({
        txid: one.outpoint.txid,
        index: 0,
        sequence: 0x0040_0003,
        witnessUtxo: { script: script.pkScript, amount: one.amount },
      });
      tx.addOutput({ script: clientScript, amount: one.amount - 500n });
      const message = tx.preimageWitnessV1(
        0,
        [script.pkScript],
        SigHash.DEFAULT,
        [one.amount],
        undefined,
        script.leaf[leaf].script,
        TAP_LEAF_VERSION,
      );
      const control = Uint8Array.of(0xc0);
      tx.updateInput(0, {
        finalScriptWitness: [
          ...signers.map((key) => schnorr.sign(message, key)),
          ...extra,
          script.leaf[leaf].script,
          control,
        ],
      });
      return tx.extract();
    };
    const coin = ref(one);
    expect([
      readSpend(terms, raw('unilateral-claim', [secret.receiver], [preimage]), coin),
      readSpend(terms, raw('unilateral-refund', [secret.receiver, secret.sender]), coin),
      readSpend(terms, raw('unilateral-refund-without-receiver', [secret.sender]), coin),
      readSpend(terms, raw('unilateral-refund-without-receiver', [secret.stranger]), coin),
      preimageIn(terms.hash, raw('unilateral-claim', [secret.receiver], [preimage])),
    ]).toEqual([claim, { leaf: 'refund' }, { leaf: 'refund-without-receiver' }, null, preimage]);
  });

  test.each([0x01, 0x02, 0x03, 0x81, 0x82, 0x83])(
    'fault 63: on the chain is a refund in any version, with an annex and a signature of type %i',
    (sighash) => {
      const leaf = script.leaf['unilateral-refund-without-receiver'];
      const annex = Uint8Array.of(0x50, 1, 2, 3);
      const raw = (signatures: readonly Uint8Array[]): Uint8Array =>
        RawTx.encode({
          version: 4,
          segwitFlag: true,
          inputs: [
            { txid: fromHex(one.outpoint.txid), index: 0, finalScriptSig: new Uint8Array(), sequence: 0x0040_0003 },
          ],
          outputs: [{ script: clientScript, amount: one.amount - 500n }],
          witnesses: [[...signatures, leaf.script, Uint8Array.of(0xc0), annex]],
          lockTime: 0,
        });
      const prevouts = [{ script: script.pkScript, amount: one.amount }];
      const unsigned = readRawTx(raw([])) ?? expect.fail('it is no transaction');
      const message = leafMessageOf(unsigned, 0, { prevouts, leafHash: leaf.hash, sighash, annex });
      const by = (key: Uint8Array): Uint8Array =>
        raw([Uint8Array.of(...schnorr.sign(message ?? expect.fail('it signs something'), key), sighash)]);
      expect([readSpend(terms, by(secret.sender), ref(one)), readSpend(terms, by(secret.stranger), ref(one))]).toEqual([
        { leaf: 'refund-without-receiver' },
        null,
      ]);
    },
  );
});
