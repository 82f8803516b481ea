import { expect, test } from 'vitest';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { BitcoinPort, ChainCoin, ChainTip } from '../../../engine/legs/onchain/port.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { name, newReading, readHtlc } from '../../../engine/runtime/networks/onchain/read-htlc.ts';
import { clientPublic, clientSpend, keyOf, scriptOf, termsOf } from './support.ts';

const ours = publicKeyOf(keyOf('ours'));
const terms = termsOf(ours, clientPublic, 1_800_000_000);
const claimedByThem = termsOf(clientPublic, ours, 1_800_000_000);
const height = 100;
const tipOf = (n: number): ChainTip => ({
  hash: n.toString(16).padStart(64, '0'),
  height,
  time: unix(0),
  mtp: unix(0),
});

function coinOf(of: typeof terms, n: number, amount: number): ChainCoin {
  return {
    outpoint: { txid: n.toString(16).padStart(64, '0'), vout: 0 },
    script: scriptOf(of),
    amount: sats(amount),
    height,
  };
}

/** All coins are spent in a block, by the client, and each question for what spends one is counted. */
function chainOf(of: typeof terms, coins: readonly ChainCoin[], isClaim: (coin: ChainCoin) => boolean) {
  const spends = new Map(
    coins.map((coin) => [
      outpointKey(coin.outpoint),
      clientSpend(of, { ...coin.outpoint, amount: coin.amount }, { claim: isClaim(coin) }),
    ]),
  );
  const bytes = new Map([...spends.values()].map((spend) => [spend.txid, spend.bytes]));
  const counted = { questions: 0 };
  const bitcoin = {
    async spend(outpoint) {
      counted.questions += 1;
      const spend = spends.get(outpointKey(outpoint));
      return spend === undefined ? null : { txid: spend.txid, height };
    },
    async transaction(txid) {
      const of = bytes.get(txid);
      return of === undefined ? null : { bytes: of, height };
    },
  } as Partial<BitcoinPort> as BitcoinPort;
  return { bitcoin, counted };
}

test('fault 289, bitcoin: coins that a client pays and takes back are not asked after for ever', async () => {
  const rounds = Array.from({ length: 20 }, (_, i) =>
    Array.from({ length: 50 }, (_, j) => coinOf(terms, 1 + i * 50 + j, 1_000 + j)),
  );
  const { bitcoin, counted } = chainOf(terms, rounds.flat(), () => false);
  const reading = newReading(terms, () => []);
  const own = coinOf(terms, 5_000, 50_000);
  name(reading, [own]);
  for (const listed of rounds) {
    await readHtlc(reading, [own, ...listed], { bitcoin, tip: tipOf(1) });
    await readHtlc(reading, [own], { bitcoin, tip: tipOf(1) });
  }
  counted.questions = 0;
  await readHtlc(reading, [own], { bitcoin, tip: tipOf(2) });
  expect(counted.questions).toBeLessThanOrEqual(70);
  expect(reading.coins.size).toBeLessThanOrEqual(71);
});

test('fault 289, bitcoin: of coins that are spent those that show a secret stay in sight', async () => {
  const claimed = coinOf(claimedByThem, 1, 700);
  const others = Array.from({ length: 200 }, (_, i) => coinOf(claimedByThem, 2 + i, 1_000 + i));
  const chain = chainOf(claimedByThem, [claimed, ...others], (coin) => coin === claimed);
  // What else takes them is read as nothing.
  const bitcoin: BitcoinPort = {
    ...chain.bitcoin,
    spend: async (outpoint) => {
      const spend = await chain.bitcoin.spend(outpoint);
      return outpoint.txid === claimed.outpoint.txid ? spend : { txid: 'ab'.repeat(32), height };
    },
  };
  const reading = newReading(claimedByThem, () => []);
  const look = (listed: readonly ChainCoin[], n: number) => readHtlc(reading, listed, { bitcoin, tip: tipOf(n) });
  await look([claimed], 1);
  await look([], 1);
  for (let i = 0; i < 200; i += 50) {
    await look(others.slice(i, i + 50), 1);
    await look([], 1);
  }
  const coins = await look([], 2);
  expect([coins.length <= 21, coins.some(({ spend }) => spend?.by === 'claim')]).toEqual([true, true]);
});
