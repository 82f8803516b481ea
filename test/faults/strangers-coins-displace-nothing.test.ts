import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import { onchainFailure } from '../../engine/legs/onchain/failures.ts';
import type { BitcoinPort, ChainCoin } from '../../engine/legs/onchain/port.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { judgeFunded } from '../../engine/runtime/networks/onchain/judge.ts';
import type { MinedCoin } from '../../engine/runtime/networks/onchain/judge.ts';
import { createShallow, eachByItself } from '../../engine/runtime/networks/shallow.ts';
import { name, newReading, readHtlc } from '../../engine/runtime/networks/onchain/read-htlc.ts';
import { coinsBeside as htlcCoinsBeside } from '../../engine/swap/halves/bitcoin/claim/coins.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { coinsBeside } from '../../engine/swap/halves/extra-coins.ts';
import { ourCoins, paidCoins } from '../../engine/taker/halves/bitcoin/fund/coins.ts';
import { clientPublic, keyOf, scriptOf, termsOf } from '../runtime/onchain/support.ts';
import { clocksAt, coin, start } from '../swap/cases.ts';
import { deal } from '../taker/bitcoin-arkade-cases.ts';

const agreed = sats(100_000);
const terms = termsOf(clientPublic, publicKeyOf(keyOf('ours')), start + 100_000);
const script = scriptOf(terms);
const tip = { hash: '00'.repeat(32), height: 900, time: unix(start), mtp: unix(start) };

const point = (n: number): Outpoint => ({ txid: n.toString(16).padStart(64, '0'), vout: 0 });
const own: ChainCoin = { outpoint: point(1), script, amount: agreed, height: 890 };

/**
 * Coins that wait in a mempool, each larger than the one that was agreed: whoever makes them takes them back at will.
 */
const waiting = (count: number): ChainCoin[] =>
  Array.from({ length: count }, (_, i) => ({
    outpoint: point(i + 2),
    script,
    amount: sats(Number(agreed) + 1 + i),
    height: null,
  }));

const nothingSpent = { spend: async () => null, transaction: async () => null } as unknown as BitcoinPort;

/** What is told of coins that are listed. */
async function shown(listed: readonly ChainCoin[]): Promise<SeenHtlcCoin[]> {
  const reading = newReading(terms, () => []);
  reading.agreed = [{ least: agreed, most: agreed }];
  name(reading, []);
  return readHtlc(reading, listed, { bitcoin: nothingSpent, tip });
}

const sighted = (coins: readonly ChainCoin[], change: Partial<SeenHtlcCoin> = {}): SeenHtlcCoin[] =>
  coins.map(({ outpoint, amount, height }) => ({ outpoint, amount, height, spend: null, ...change }));

const look = (coins: readonly SeenHtlcCoin[]): Event & { is: 'htlc.seen' } => ({
  is: 'htlc.seen',
  coins,
  height: tip.height,
  mtp: tip.mtp,
  asked: unix(start),
});

const keys = (coins: readonly { readonly outpoint: Outpoint }[]): string[] =>
  coins.map(({ outpoint }) => outpointKey(outpoint));

describe('fault 96, bitcoin: coins that a stranger lets wait beside the agreed one', () => {
  test('do not keep a node from being told of it', async () => {
    expect(keys(await shown([...waiting(60), own]))).toContain(outpointKey(own.outpoint));
  });

  test('nor do sixty of other amounts that are mined', async () => {
    const mined = waiting(60).map((one) => ({ ...one, height: 880 }));
    expect(keys(await shown([...mined, own]))).toContain(outpointKey(own.outpoint));
  });

  test('do not keep a client from its refund', () => {
    const { amount } = deal.source;
    const paid = sighted([{ ...own, amount }]);
    const others = sighted(waiting(25)).map((one) => ({ ...one, amount: sats(one.amount + amount) }));
    const nothing = { deal, said: 'pending', coins: [], lookUntil: null } as const;
    const coins = paidCoins(nothing, look([...others, ...paid]));
    expect(keys(ourCoins({ ...nothing, coins }, null))).toContain(outpointKey(own.outpoint));
    expect(coins.length).toBeLessThanOrEqual(20);
  });

  test('stand on no list in front of one that lies there, and nor do those that are spent', () => {
    const spend = { txid: '77'.repeat(32), height: 895, by: 'refund' } as const;
    const list = htlcCoinsBeside(
      [...sighted(waiting(25)), ...sighted(waiting(25), { height: 890, spend }), ...sighted([own])],
      null,
    );
    expect(keys(list)).toContain(outpointKey(own.outpoint));
    expect(list.length).toBeLessThanOrEqual(20);
  });
});

test('fault 96, bitcoin: a script that no source lists keeps nobody from locking against its coin', async () => {
  const bytes = Uint8Array.from([
    ...[2, 0, 0, 0, 1, ...new Uint8Array(36), 0, 0, 0, 0, 0, 1],
    ...new Uint8Array(new BigUint64Array([agreed]).buffer),
    ...[script.length, ...script, 0, 0, 0, 0],
  ]);
  const bitcoin = {
    tip: async () => tip,
    coins: async () => {
      throw onchainFailure('bitcoin-away', 'safe', 'too many coins at one script');
    },
    transaction: async () => ({ bytes, height: 890 }),
    spend: async () => null,
    disagreement: () => null,
  } as unknown as BitcoinPort;
  const facts = {
    script,
    outpoint: own.outpoint,
    sourceAmount: agreed,
    confirmations: 1,
    refundLocktime: unix(start + 1_000_000),
    lockRefundLocktime: unix(start + 500_000),
    policy,
  };
  const shallow = createShallow<MinedCoin>('coin', eachByItself, () => true);
  const context = { ports: { bitcoin }, clock: { now: () => clocksAt(start) }, shallow, swap: 'a swap' };
  expect(await judgeFunded(facts, context)).toBeNull();
  const spent = { ...bitcoin, spend: async () => ({ txid: '99'.repeat(32), height: null }) };
  expect(await judgeFunded(facts, { ...context, ports: { bitcoin: spent } })).not.toBeNull();
});

test('fault 97, arkade: of the coins at a VHTLC a swap keeps the largest that are not spent, and no more', () => {
  const dust = Array.from({ length: 5_000 }, (_, i) => coin({ outpoint: point(i + 2), amount: sats(330) }));
  const mine = coin({ outpoint: point(1), amount: agreed });
  const list = coinsBeside([...dust, mine], null, []);
  expect(list.length).toBeLessThanOrEqual(50);
  expect(keys(list)).toContain(outpointKey(mine.outpoint));
  // One that its operator shows no more stays, whatever else came meanwhile.
  expect(keys(coinsBeside(dust, null, list))).toContain(outpointKey(mine.outpoint));
  // What is spent makes room for what is not.
  const large = Array.from({ length: 60 }, (_, i) =>
    coin({ outpoint: point(i + 9_000), amount: sats(200_000), spent: true, settledBy: '88'.repeat(32) }),
  );
  expect(keys(coinsBeside([...large, mine], null, []))).toContain(outpointKey(mine.outpoint));
});
