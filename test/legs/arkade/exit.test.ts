import { schnorr } from '@noble/curves/secp256k1.js';
import { Transaction } from '@scure/btc-signer';
import { hex } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { buildExit, type ExitLeaf, type ExitRequest } from '../../../engine/legs/arkade/exit.ts';
import { readSpend } from '../../../engine/legs/arkade/spend.ts';
import { clientScript, coinOf, preimage, script, secret, terms } from './support.ts';

const coin = { ...coinOf(1).outpoint, amount: sats(50_000) };

function exit(leaf: ExitLeaf, change: Partial<ExitRequest> = {}) {
  const claim = leaf === 'unilateral-claim';
  return buildExit(terms, {
    coin,
    leaf,
    ...(claim ? { preimage } : {}),
    to: clientScript,
    feeRate: 2,
    sign: (message) => schnorr.sign(message, claim ? secret.receiver : secret.sender),
    ...change,
  });
}

function read(bytes: Uint8Array): Transaction {
  return Transaction.fromRaw(bytes, { allowUnknownInputs: true, allowUnknownOutputs: true });
}

describe('a spend of a VHTLC on the chain', () => {
  test.each([
    ['unilateral-claim', { leaf: 'claim', preimage }, 0x0040_0001, 4],
    ['unilateral-refund-without-receiver', { leaf: 'refund-without-receiver' }, 0x0040_0003, 3],
  ] as const)(
    'by %s waits for its delay, may be replaced, pays its fee and is read back as what it is',
    (leaf, spend, sequence, items) => {
      const made = exit(leaf);
      if (made === null) throw new Error('it is worth its fee');
      const tx = read(made.bytes);
      const witness = tx.getInput(0).finalScriptWitness ?? [];
      expect({
        txid: tx.id,
        version: tx.version,
        input: [hex.encode(tx.getInput(0).txid ?? new Uint8Array()), tx.getInput(0).index, tx.getInput(0).sequence],
        outputs: [tx.outputsLength, tx.getOutput(0).script, tx.getOutput(0).amount],
        rate: made.rate,
        capped: made.capped,
        items: witness.length,
        script: witness.at(-2),
        spend: readSpend(terms, made.bytes, coin),
      }).toEqual({
        txid: made.txid,
        version: 2,
        input: [coin.txid, coin.vout, sequence],
        outputs: [1, clientScript, 50_000n - 2n * BigInt(tx.vsize)],
        rate: 2,
        capped: false,
        items,
        script: script.leaf[leaf].script,
        spend,
      });
    },
  );

  test('is signed over the coin as it is: another amount is another message', () => {
    const messages: string[] = [];
    const sign = (message: Uint8Array): Uint8Array => {
      messages.push(hex.encode(message));
      return new Uint8Array(64);
    };
    for (const amount of [50_000, 50_001]) exit('unilateral-claim', { sign, coin: { ...coin, amount: sats(amount) } });
    exit('unilateral-refund-without-receiver', { sign });
    expect(new Set(messages).size).toBe(3);
  });

  test('pays up to what is allowed, all but dust when it is all of the coin', () => {
    const paid = (mostFee: bigint) => {
      const made = exit('unilateral-claim', { feeRate: 100_000, mostFee: sats(mostFee) });
      return made && [50_000n - (read(made.bytes).getOutput(0).amount ?? 0n), made.capped];
    };
    expect([paid(10_000n), paid(50_000n)]).toEqual([
      [10_000n, true],
      [49_670n, true],
    ]);
  });

  test('never pays more than half, unless nothing less would be relayed, and never leaves dust', () => {
    const size = read(exit('unilateral-claim')?.bytes ?? new Uint8Array()).vsize;
    const paid = (amount: number, feeRate: number) => {
      const made = exit('unilateral-claim', { feeRate, coin: { ...coin, amount: sats(amount) } });
      return made && [BigInt(amount) - (read(made.bytes).getOutput(0).amount ?? 0n), made.capped];
    };
    expect([paid(50_000, 100_000), paid(50_000, 0), paid(size + 330, 9), paid(size + 329, 1)]).toEqual([
      [25_000n, true],
      [BigInt(size), false],
      [BigInt(size), true],
      null,
    ]);
  });
});
