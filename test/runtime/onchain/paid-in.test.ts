import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { expect, test } from 'vitest';
import { asPreimage } from '../../../engine/domain/hash.ts';
import { height as heightOf, unix } from '../../../engine/domain/time.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { htlcScript, type MusigHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort, ScriptPayment } from '../../../engine/legs/onchain/port.ts';
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

const showing = (show: BitcoinPort['glance']) => ({ transaction: show, glance: show });

/** `past`: nobody names it, and the chain's own index of what paid the script is asked. */
async function look(tx: Transaction, past = false) {
  const spends: Outpoint[] = [];
  let asks = 0;
  const bitcoin = {
    payments: async () => {
      asks += 1;
      const amount = sats(Math.max(...tx.outs.map(({ value }) => Number(value))));
      return { payments: [tx.getId(), 'ff'.repeat(32)].map((txid) => ({ txid, amount, spent: true })), over: true };
    },
    ...showing(async (txid) => (txid === tx.getId() ? { bytes: tx.toBuffer(), height: 90 } : null)),
    spend: async (outpoint: Outpoint) => {
      spends.push(outpoint);
      return { txid: 'ee'.repeat(32), height: 95 };
    },
  } as unknown as BitcoinPort;
  const reading = newReading(terms, () => []);
  reading.agreed = [{ least: agreed, most: agreed }];
  if (past) Object.assign(reading, { since: 80, past });
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

interface World {
  /** What the parts of the history show, one after the other. */
  readonly parts: readonly (readonly ScriptPayment[])[];
  readonly listed?: null;
}

/** Looks at an HTLC of which a stranger made most payments: whether ours was found, and by what most questions. */
async function search({ parts, listed }: World, ours: Transaction, looks: number) {
  const questions: string[] = [];
  const left = [...parts];
  const bitcoin = {
    payments: async () => ({ payments: left.shift() ?? [], over: left.length === 0 }),
    ...showing(async (txid) => {
      questions.push(txid);
      return txid === ours.getId() ? { bytes: ours.toBuffer(), height: 90 } : null;
    }),
    spend: async () => (listed === null ? null : { txid: 'ee'.repeat(32), height: 95 }),
  } as unknown as BitcoinPort;
  const reading = Object.assign(
    newReading(terms, () => []),
    { agreed: [{ least: agreed, most: agreed }], since: 80, past: listed !== null },
  );
  const tip = { hash: 'aa'.repeat(32), height: heightOf(100), mtp: unix(1), time: unix(1) };
  const perLook: number[] = [];
  let isThere = false;
  for (let look = 0; look < looks; look++) {
    const coins = await readHtlc(reading, listed === null ? null : [], { bitcoin, tip });
    isThere ||= coins.some(({ outpoint }) => outpoint.txid === ours.getId());
    perLook.push(questions.splice(0).length);
  }
  return { isThere, most: Math.max(...perLook) };
}

const many = (count: number, payment: Omit<ScriptPayment, 'txid'>): ScriptPayment[] =>
  Array.from({ length: count }, (_, i) => ({ txid: i.toString(16).padStart(64, '0'), ...payment }));

test('fault 127, bitcoin: a stranger’s dust hides no payment of the history, and costs no question', async () => {
  const ours = paying([pkScript, agreed]);
  const dust = many(250, { amount: sats(330n), spent: false });
  const paid = { txid: ours.getId(), amount: agreed, spent: true };
  // The payment itself, what became of it, and what took it.
  expect(await search({ parts: [dust, dust, dust, [paid]] }, ours, 4)).toEqual({ isThere: true, most: 3 });
});

test('fault 127, bitcoin: of hundreds that may have paid some are asked after in each look', async () => {
  const ours = paying([pkScript, agreed]);
  const paid = { txid: ours.getId(), amount: agreed, spent: true };
  const parts = [many(400, { amount: agreed, spent: true }), [paid]];
  expect(await search({ parts }, ours, 9)).toEqual({ isThere: true, most: 50 });
});

test('a coin at a script that strangers paid so often that nobody lists it is found by the history', async () => {
  const ours = paying([pkScript, agreed]);
  const parts = [[{ txid: ours.getId(), amount: agreed, spent: false }]];
  expect(await search({ parts, listed: null }, ours, 1)).toMatchObject({ isThere: true });
});
