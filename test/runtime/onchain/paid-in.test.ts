import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { expect, test } from 'vitest';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { height as heightOf, unix } from '../../../engine/domain/time.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { htlcScript, type MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { newReading, readHtlc } from '../../../engine/runtime/networks/onchain/read-htlc.ts';

/* A transaction of which a provider says that it paid an HTLC: its outputs say whose they are. */

const terms: MusigHtlcTerms = {
  form: 'musig',
  hash: hash160Of(asPreimage(new Uint8Array(32).fill(7))),
  claimer: publicKeyOf(new Uint8Array(32).fill(1)),
  refunder: publicKeyOf(new Uint8Array(32).fill(2)),
  provider: 'claimer',
  sizeGuard: false,
  refundHeight: 1_000,
};
const { pkScript } = htlcScript(terms);
const agreed = sats(50_000n);

function paying(...outputs: readonly (readonly [Uint8Array, bigint])[]): Transaction {
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(new Uint8Array(32).fill(7), 0);
  for (const [script, amount] of outputs) tx.addOutput(script, amount);
  return tx;
}

async function look(tx: Transaction) {
  const spends: Outpoint[] = [];
  const bitcoin = {
    transaction: async (txid: string) => (txid === tx.getId() ? { bytes: tx.toBuffer(), height: 90 } : null),
    spend: async (outpoint: Outpoint) => {
      spends.push(outpoint);
      return { txid: 'ee'.repeat(32), height: 95 };
    },
  } as unknown as BitcoinPort;
  const reading = newReading(terms, () => []);
  reading.agreed = [{ least: agreed, most: agreed }];
  reading.paidIn = [tx.getId()];
  const tip = { hash: 'aa'.repeat(32), height: heightOf(100), mtp: unix(1), time: unix(1) };
  const coins = await readHtlc(reading, [], { bitcoin, tip });
  return { spends, coins };
}

test('its output at the script is a coin, and no other', async () => {
  const elsewhere = Uint8Array.of(0x51);
  const { coins } = await look(paying([elsewhere, agreed], [pkScript, agreed], [elsewhere, 1n]));
  expect(coins.map(({ outpoint, amount }) => [outpoint.vout, amount])).toEqual([[1, agreed]]);
});

test('of thousands only a few are asked after, and the agreed one is among them', async () => {
  const many = Array.from({ length: 2_000 }, () => [pkScript, 60_000n] as const);
  const { coins, spends } = await look(paying(...many, [pkScript, agreed]));
  expect([spends.length <= 5, coins.some(({ amount }) => amount === agreed)]).toEqual([true, true]);
});
