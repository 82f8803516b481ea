import { expect, test } from 'vitest';
import { bitcoinSources } from '../../engine/adapters/bitcoin/sources.ts';
import type { ChainSource } from '../../engine/adapters/bitcoin/chain-source.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { chosenCoins } from '../../engine/runtime/networks/onchain/choose.ts';
import { createVhtlcWatch } from '../../engine/runtime/networks/arkade/watch.ts';
import { bitcoinArkade } from '../../engine/swap/directions/bitcoin-arkade.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { coinsBeside } from '../../engine/swap/halves/extra-coins.ts';
import { coinOf, script as vhtlc, secret, spend, terms as vhtlcTerms } from '../legs/arkade/support.ts';
import { bitcoinArkadeTerms } from '../swap/bitcoin-arkade-cases.ts';
import { clocksAt, coin, coinPoint, lightningArkadeTerms, start } from '../swap/cases.ts';
import { fundDeal, takeArkadeCase } from '../taker/cases.ts';

/** Anybody may send dust to a script that is known, at next to no cost. */
function dust(n: number, change: Partial<SeenCoin> = {}): SeenCoin {
  const outpoint = { txid: n.toString(16).padStart(64, '0'), vout: 0 };
  return coin({ outpoint, amount: sats(330), ...change });
}

const pauses = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The client of a VHTLC of its own: for which coins it asks when this happens. */
function requestsOf(sequence: readonly (readonly [Event, Clocks])[]): Outpoint[] {
  const { machine, terms, first } = takeArkadeCase;
  let progress = first;
  return sequence.flatMap(([event, now]) => {
    const step = machine.step(terms, progress, event, now);
    if (step === 'stay') return [];
    progress = step.progress;
    return step.effects.flatMap((effect) => ('coin' in effect && effect.coin !== undefined ? [effect.coin] : []));
  });
}

const own = coin({ amount: fundDeal.source.amount, script: fundDeal.source.script });
const look = (...coins: SeenCoin[]): Event => ({ is: 'vhtlc.seen', coins });
const unlocked = clocksAt(fundDeal.source.vhtlc.refundLocktime + 4 * 3_600);
const expired = dust(1, { recoverable: true, expiresAt: unix(start), script: fundDeal.source.script });

test('fault 87: expired dust, which no batch gives back, keeps a client from no coin of its own', () => {
  expect(
    requestsOf([
      [look(expired, own), clocksAt(start + 60)],
      [{ is: 'clock' }, unlocked],
    ]),
  ).toEqual([coinPoint]);
});

test('fault 87: a coin that comes while dust is waited for is taken back before it', () => {
  expect(
    requestsOf([
      [look(expired), clocksAt(start + 60)],
      [{ is: 'clock' }, unlocked],
      [look(expired, own), unlocked],
      [{ is: 'clock' }, unlocked],
    ]),
  ).toEqual([expired.outpoint, coinPoint]);
});

test('fault 87: dust whose refund nobody signs keeps the provider from no signature for the coin', () => {
  const refusal: Event = { is: 'provider.seen', status: 'serverwontfund' };
  expect(
    requestsOf([
      [look(dust(1, { script: fundDeal.source.script }), own), clocksAt(start + 60)],
      [refusal, clocksAt(start + 70)],
    ]),
  ).toEqual([coinPoint]);
});

test('fault 89: a look at twenty thousand coins of one script costs what they are, and not their square', () => {
  const coins = Array.from({ length: 20_000 }, (_, i) => dust(i));
  const earlier = coinsBeside(coins, null, []);
  const began = performance.now();
  expect(coinsBeside(coins, coinPoint, earlier).length).toBeGreaterThan(0);
  expect(performance.now() - began).toBeLessThan(2_500);
});

/** A transaction of its own with one output. */
function paying(script: Uint8Array, n: number): Uint8Array {
  const bytes = new Uint8Array(94);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, 2, true);
  bytes[4] = 1;
  view.setUint32(5, n, true);
  bytes[46] = 1;
  view.setBigUint64(47, BigInt(330 + n), true);
  bytes[55] = script.length;
  bytes.set(script, 56);
  return bytes;
}

/**
 * Two servers of the Bitcoin chain that list these coins, each made by a transaction of its own, and how often they
 * were asked about one.
 */
function serversOf(script: (n: number) => Uint8Array, count: number, height: number | null) {
  const counter = { questions: 0 };
  const coins = Array.from({ length: count }, (_, n) => {
    const bytes = paying(script(n), n);
    return { bytes, txid: readRawTx(bytes)?.txid ?? '', script: script(n), amount: sats(330 + n) };
  });
  const transactions = new Map(coins.map(({ txid, bytes }) => [txid, bytes]));
  const source = {
    genesis: async () => '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    tip: async () => ({ hash: '00'.repeat(32), height: 1, time: unix(start), mtp: unix(start) }),
    headers: async () => [],
    hashAt: async () => '11'.repeat(32),
    proof: async () => (counter.questions++, null),
    transaction: async (txid: string) => (counter.questions++, { bytes: transactions.get(txid), height }),
    coins: async () => coins.map((one) => ({ ...one, outpoint: { txid: one.txid, vout: 0 }, height })),
  } as unknown as ChainSource;
  const port = bitcoinSources(
    'mainnet',
    ['one', 'two'].map((name) => ({ name, kind: 'server', port: source })) as never,
    () => start,
  );
  return { port, counter };
}

test('fault 89, bitcoin: of a thousand dust outputs at an HTLC the largest alone are asked after', async () => {
  const script = new Uint8Array(34).fill(5);
  const { port, counter } = serversOf(() => script, 1_500, 1);
  const meant = { named: new Set<string>(), agreed: [] };
  const coins = await port.coins([script], 0, (ofScript) => chosenCoins(ofScript, meant));
  expect([coins.length, Math.min(...coins.map(({ amount }) => Number(amount)))]).toEqual([50, 330 + 1_450]);
  expect(counter.questions).toBeLessThanOrEqual(200);
});

test('fault 107, bitcoin: what waits at a hundred HTLCs is asked after once, and not at every look', async () => {
  const scripts = Array.from({ length: 100 }, (_, n) => new Uint8Array(34).fill(n));
  const { port, counter } = serversOf((n) => scripts[n % 100] ?? new Uint8Array(34), 6_000, null);
  const meant = { named: new Set<string>(), agreed: [{ least: sats(5_000), most: sats(6_000) }] };
  const look = () => port.coins(scripts, 0, (ofScript) => chosenCoins(ofScript, meant));
  const coins = await look();
  counter.questions = 0;
  await look();
  expect([counter.questions, coins.length]).toEqual([0, 800]);
});

test('fault 89, bitcoin: of the coins beside the one of a swap three are asked after by name', () => {
  const extras = Array.from({ length: 20 }, (_, n) => ({
    outpoint: dust(n).outpoint,
    amount: sats(330),
    spent: false,
  }));
  const progress = { at: 'funded', coin: coinPoint, surplus: sats(0), extras } as const;
  const [htlc] = bitcoinArkade.watches(bitcoinArkadeTerms, progress);
  const named = htlc?.on === 'htlc' ? htlc.coins.map(({ outpoint }) => outpoint) : [];
  expect([named.length, named[0]]).toEqual([4, coinPoint]);
});

interface Operator {
  onScript?: (script: Uint8Array) => void;
}

/** A watch over an operator that answers at once. */
function watchOver(arkade: Partial<ArkadePort>) {
  const operator: Operator = {};
  const watch = createVhtlcWatch({
    arkade: {
      virtualTxs: async () => new Map(),
      coinsAt: async () => [],
      waiting: async () => [],
      watch: ({ onScript }: Required<Operator>) => {
        operator.onScript = onScript;
        return { add: () => undefined, remove: () => undefined, stop: async () => undefined };
      },
      ...arkade,
    } as unknown as ArkadePort,
    bitcoin: null,
    store: { exits: { has: () => false, at: () => [] } } as never,
    wall: () => unix(start),
    deliver: () => undefined,
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 50,
  });
  watch.start();
  return { watch, operator };
}

test('fault 89: of five hundred coins at our lock the queue is read over our own alone', async () => {
  const { vhtlc, script } = lightningArkadeTerms;
  const coins = [...Array.from({ length: 500 }, (_, i) => dust(i, { script })), coin({ script })];
  const read: Outpoint[] = [];
  const { watch } = watchOver({
    coins: async () => coins,
    waiting: async ({ coins: of }) => (read.push(...of.map(({ outpoint }) => outpoint)), []),
  });
  watch.add('swap', vhtlc, script);
  watch.prove({ script, key: { branch: 'swap', index: 1 }, always: true, coins: [coinPoint] });
  await pauses(600);
  await watch.stop();
  expect(read.length).toBeGreaterThan(0);
  expect(read.every((one) => one.txid === coinPoint.txid)).toBe(true);
});

test('fault 89: events without end at one script keep no other from being looked at', async () => {
  const { vhtlc, script } = lightningArkadeTerms;
  const other = Uint8Array.from(script, (byte, i) => (i === script.length - 1 ? byte ^ 1 : byte));
  const looks: string[] = [];
  const { watch, operator } = watchOver({
    async coins(scripts) {
      await pauses(5);
      operator.onScript?.(script);
      looks.push(...scripts.map(toHex));
      return [];
    },
  });
  watch.add('attacked', vhtlc, script);
  await pauses(50);
  watch.add('other', vhtlc, other);
  await expect.poll(() => looks.filter((one) => one === toHex(other)).length, { timeout: 4_000 }).toBeGreaterThan(2);
  delete operator.onScript;
  await watch.stop();
});

/**
 * A watch over one script and these coins of it: how often a coin is asked after by itself in a look, and what is told.
 */
async function questionsAbout(coins: readonly Vtxo[], arkade: Partial<ArkadePort> = {}) {
  const counter = { operator: 0, chain: 0, looks: 0 };
  let sight: readonly SeenCoin[] = [];
  const watch = createVhtlcWatch({
    arkade: {
      virtualTxs: async () => new Map(),
      coins: async () => (counter.looks++, coins),
      coinsAt: async () => (counter.operator++, []),
      waiting: async () => [],
      watch: () => ({ add: () => undefined, remove: () => undefined, stop: async () => undefined }),
      ...arkade,
    } as unknown as ArkadePort,
    bitcoin: { spend: async () => (counter.chain++, null), transaction: async () => (counter.chain++, null) } as never,
    store: { exits: { has: ({ txid }: Outpoint) => txid === coinOf(1).outpoint.txid, at: () => [] } } as never,
    wall: () => unix(start),
    deliver: (_, event) => {
      if (event.is === 'vhtlc.seen') sight = event.coins;
    },
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 60_000,
  });
  watch.start();
  watch.add('swap', vhtlcTerms, vhtlc.pkScript);
  await expect.poll(() => sight.length, { timeout: 10_000 }).toBe(coins.length);
  await watch.stop();
  return { counter, sight };
}

test('fault 108: refunds that are accepted and never final are asked after in one question of a look', async () => {
  const bytes = new Map<string, Uint8Array>();
  const coins = Array.from({ length: 30 }, (_, i) => {
    const one = coinOf(i, {
      outpoint: { txid: i.toString(16).padStart(64, '0'), vout: 0 },
      amount: sats(330 + i),
    });
    const { arkTx } = spend(vhtlc.leaf['refund-without-receiver'], [one], [secret.sender]);
    bytes.set(arkTx.id, arkTx.toPSBT());
    return { ...one, spent: true, spentIn: arkTx.id };
  });
  const { counter, sight } = await questionsAbout(coins, { virtualTxs: async () => bytes });
  expect(counter.operator).toBe(counter.looks);
  expect(sight.every(({ pending, spend: by }) => pending === true && typeof by === 'object')).toBe(true);
});

test('fault 108: of coins that an operator says lie on the chain a few are looked for there', async () => {
  const lying = Array.from({ length: 2_000 }, (_, i) =>
    coinOf(1, {
      outpoint: { txid: (i + 5).toString(16).padStart(64, '0'), vout: 0 },
      unrolled: true,
      amount: sats(90_000),
    }),
  );
  const { counter } = await questionsAbout([...lying, coinOf(1, { unrolled: true })]);
  // Whether it is spent there, and whether it is there at all.
  expect([counter.chain <= 2 * 51 * counter.looks, counter.chain > 0]).toEqual([true, true]);
});
