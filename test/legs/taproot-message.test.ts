import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { newTx } from '../../engine/legs/psbt.ts';
import { leafMessageOf } from '../../engine/legs/taproot-message.ts';
import { tapScript } from '../../engine/legs/tapscript.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const u32 = fc.nat({ max: 0xffff_ffff });
const amount = fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n });
const coin = fc.record({
  txid: bytes(32),
  index: u32,
  sequence: u32,
  amount,
  script: fc.uint8Array({ minLength: 1, maxLength: 300 }),
});

test('what a leaf signs is what the library says, for every sighash type, with and without an annex', () => {
  fc.assert(
    fc.property(
      fc.record({
        version: fc.constantFrom(-1, 0, 1, 2, 3),
        lockTime: u32,
        coins: fc.array(coin, { minLength: 1, maxLength: 4 }),
        outputs: fc.array(fc.record({ amount, script: fc.uint8Array({ maxLength: 300 }) }), {
          minLength: 4,
          maxLength: 5,
        }),
        leaf: fc.uint8Array({ minLength: 1, maxLength: 200 }),
        sighash: fc.constantFrom(0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83),
        annex: fc.option(fc.uint8Array({ maxLength: 300 }), { nil: null }),
      }),
      ({ version, lockTime, coins, outputs, leaf, sighash, annex: tail }) => {
        const tx = newTx({ version, lockTime });
        for (const { txid, index, sequence } of coins) tx.addInput({ txid, index, sequence });
        for (const output of outputs) tx.addOutput(output);
        const annex = tail === null ? null : Uint8Array.of(0x50, ...tail);
        const raw = readRawTx(tx.toBytes(true)) ?? expect.fail('it is no transaction');
        const [{ hash: leafHash } = expect.fail('it has a leaf')] = tapScript([leaf]).leaves;
        for (const i of coins.keys())
          expect(leafMessageOf(raw, i, { prevouts: coins, leafHash, sighash, annex })).toEqual(
            tx.preimageWitnessV1(
              i,
              coins.map(({ script }) => script),
              sighash,
              coins.map((one) => one.amount),
              undefined,
              leaf,
              0xc0,
              annex ?? undefined,
            ),
          );
      },
    ),
  );
});

test('a signature of a type that the chain does not know commits to nothing', () => {
  const tx = newTx({ version: 2, lockTime: 0 });
  tx.addInput({ txid: new Uint8Array(32), index: 0 });
  const raw = readRawTx(tx.toBytes(true)) ?? expect.fail('it is no transaction');
  const ask = { prevouts: [{ amount: 1n, script: new Uint8Array(34) }], leafHash: new Uint8Array(32), annex: null };
  // 3: of an output that is not there.
  expect([4, 0x80, 0x84, 3].map((sighash) => leafMessageOf(raw, 0, { ...ask, sighash }))).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
