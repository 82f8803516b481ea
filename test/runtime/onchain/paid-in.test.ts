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

/** `past`: nobody names it, and the chain's own index of what paid the script is asked. */
async function look(tx: Transaction, past = false) {
  const spends: Outpoint[] = [];
  let asks = 0;
  const bitcoin = {
    payments: async () => {
      asks += 1;
      return [tx.getId(), 'ff'.repeat(32)];
    },
    transaction: async (txid: string) => (txid === tx.getId() ? { bytes: tx.toBuffer(), height: 90 } : null),
    spend: async (outpoint: Outpoint) => {
      spends.push(outpoint);
      return { txid: 'ee'.repeat(32), height: 95 };
    },
  } as unknown as BitcoinPort;
  const reading = newReading(terms, () => []);
  reading.agreed = [{ least: agreed, most: agreed }];
  if (past) reading.past = 80;
  else reading.paidIn = [tx.getId()];
  const tip = { hash: 'aa'.repeat(32), height: heightOf(100), mtp: unix(1), time: unix(1) };
  const coins = await readHtlc(reading, [], { bitcoin, tip });
  for (let looks = 1; past && looks < 10; looks++) await readHtlc(reading, [], { bitcoin, tip });
  return { spends, coins, asks };
}

test('its output at the script is a coin, and no other', async () => {
  const elsewhere = Uint8Array.of(0x51);
  const { coins } = await look(paying([elsewhere, agreed], [pkScript, agreed], [elsewhere, 1n]));
  expect(coins.map(({ outpoint, amount }) => [outpoint.vout, amount])).toEqual([[1, agreed]]);
});

test('fault 127, bitcoin: with nobody’s word it is found by what paid the script, asked now and then', async () => {
  const { coins, asks } = await look(paying([pkScript, agreed]), true);
  expect([coins.map(({ amount }) => amount), asks]).toEqual([[agreed], 1]);
});

test('of thousands only a few are asked after, and the agreed one is among them', async () => {
  const many = Array.from({ length: 2_000 }, () => [pkScript, 60_000n] as const);
  const { coins, spends } = await look(paying(...many, [pkScript, agreed]));
  expect([spends.length <= 5, coins.some(({ amount }) => amount === agreed)]).toEqual([true, true]);
});
