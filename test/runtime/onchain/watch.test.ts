import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import { onchainFailure } from '../../../engine/legs/onchain/failures.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { htlcWatching } from '../../../engine/runtime/networks/onchain/watch.ts';
import type { NetworkWatch } from '../../../engine/runtime/networks/watching.ts';
import type { OnchainWatch } from '../../../engine/legs/onchain/watch.ts';
import type { Event } from '../../../engine/swap/machine.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { createBitcoinPort } from '../../support/sandbox-ports/bitcoin.ts';
import { clientPublic, clientSpend, keyOf, scriptOf, secret, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

type SeenEvent = Event & { is: 'htlc.seen' };

const { world } = openBitcoinWorld();
const ours = publicKeyOf(keyOf('ours'));
const agreed = { least: sats(50_000), most: sats(50_000) };
let people = 0;
let truth: BitcoinPort;
let lies: Partial<BitcoinPort>;
let calls: Record<string, number>;
let news: Map<string, SeenEvent>;
let failures: [string | null, string][];
let watch: NetworkWatch<OnchainWatch>;

beforeEach(() => {
  truth = createBitcoinPort(world);
  lies = {};
  calls = {};
  news = new Map();
  failures = [];
  const port = new Proxy(truth, {
    get(target, key: keyof BitcoinPort) {
      calls[key] = (calls[key] ?? 0) + 1;
      return lies[key] ?? target[key];
    },
  });
  const opened = htlcWatching.open({
    ports: { arkade: null, lightning: null, bitcoin: port },
    store: null as never,
    evm: null as never,
    taken: null as never,
    deliver: (id, event) => void news.set(id, event as SeenEvent),
    onFailure: (id, cause) => void failures.push([id, (cause as Error).message]),
    pollMs: 2,
    wall: () => unix(world.clock.now()),
  });
  if (opened === null) throw new Error('it is watched nowhere');
  watch = opened;
  watch.start();
});
afterEach(() => watch.stop());

/** An HTLC that the client claims and we refund, with its watch. */
function openHtlc(coins: OnchainWatch['coins'] = []): { id: string; one: OnchainWatch } {
  const terms = termsOf(clientPublic, ours, 1_800_000_000 + people);
  const id = `swap ${people++}`;
  const one: OnchainWatch = { on: 'htlc', terms, script: scriptOf(terms), since: world.tip().height, agreed, coins };
  return { id, one };
}

function pay({ script }: OnchainWatch, amount = 50_000n): Outpoint {
  const coin = world.faucet(script, sats(amount));
  if (coin === null) throw new Error('the faucet has no coin');
  return coin;
}

async function until(
  id: string,
  what: string,
  is: (coins: SeenEvent['coins'], event: SeenEvent) => boolean,
): Promise<void> {
  await eventually(() => {
    const event = news.get(id);
    return event !== undefined && is(event.coins, event);
  }, what);
}

const named = (coin: Outpoint, amount = 50_000n) => [{ outpoint: coin, amount: sats(amount) }];

test('a coin is told of in the mempool, in its block, and again as blocks come', async () => {
  const { id, one } = openHtlc();
  watch.add(id, one);
  await until(id, 'nothing is there', (coins) => coins.length === 0);
  const coin = pay(one);
  await until(id, 'it waits', ([it]) => it?.height === null);
  world.mine(1);
  const { height } = world.tip();
  await until(id, 'it is mined', ([it]) => it?.height === height);
  world.mine(1);
  await until(id, 'the tip moved', (_, { height: tip }) => tip === height + 1);
  expect(news.get(id)).toEqual({
    is: 'htlc.seen',
    coins: [{ outpoint: coin, amount: 50_000n, height, spend: null }],
    height: height + 1,
    mtp: world.tip().mtp,
    asked: world.clock.now(),
  });
});

test('the secret of a claim is told from the mempool, and with its block', async () => {
  const { id, one } = openHtlc();
  watch.add(id, one);
  const coin = pay(one);
  await until(id, 'it waits', (coins) => coins.length === 1);
  const { txid, bytes } = clientSpend(one.terms, { ...coin, amount: sats(50_000) }, { claim: true });
  world.submit(bytes);
  await until(id, 'the claim waits', ([it]) => it?.spend !== null);
  expect(news.get(id)?.coins).toEqual([
    {
      outpoint: coin,
      amount: 50_000n,
      height: null,
      spend: { txid, height: null, by: 'claim', preimage: secret, bytes },
    },
  ]);
  world.mine(1);
  const { height } = world.tip();
  await until(id, 'the claim is mined', ([it]) => it?.spend?.height === height && it.height === height);
});

test('fault 37, bitcoin: a coin that came and was claimed between two looks is told of by its name', async () => {
  const { id, one } = openHtlc();
  const coin = pay(one);
  world.submit(clientSpend(one.terms, { ...coin, amount: sats(50_000) }, { claim: true }).bytes);
  world.mine(3);
  watch.add(id, { ...one, coins: named(coin) });
  await until(id, 'its claim', ([it]) => it?.spend?.by === 'claim' && it.spend.height === world.tip().height - 2);
});

test('a refund is told of as one, and what opens neither leaf as unknown', async () => {
  const terms = termsOf(ours, clientPublic, 500_000_000 + people++);
  const one: OnchainWatch = { on: 'htlc', terms, script: scriptOf(terms), since: 0, agreed, coins: [] };
  watch.add('refund', one);
  const coin = pay(one);
  await until('refund', 'it waits', (coins) => coins.length === 1);
  const { bytes } = clientSpend(terms, { ...coin, amount: sats(50_000) }, { claim: false });
  world.submit(bytes);
  await until('refund', 'the refund waits', ([it]) => it?.spend?.by === 'refund');
  lies.transaction = async (txid) => (txid === coin.txid ? truth.transaction(txid) : null);
  const { id, one: other } = openHtlc();
  const second = pay(other);
  world.submit(clientSpend(other.terms, { ...second, amount: sats(50_000) }, { claim: true }).bytes);
  watch.add(id, { ...other, coins: named(second) });
  await until(id, 'a spend that nobody shows', ([it]) => it?.spend?.by === 'unknown');
  delete lies.transaction;
  await until(id, 'the same, shown', ([it]) => it?.spend?.by === 'claim');
});

test('a coin or its spend that a reorganisation took is gone, and back when it is mined again', async () => {
  const { id, one } = openHtlc();
  const coin = pay(one);
  world.mine(1);
  watch.add(id, { ...one, coins: named(coin) });
  await until(id, 'it is mined', ([it]) => it?.height === world.tip().height);
  const { bytes, txid } = clientSpend(one.terms, { ...coin, amount: sats(50_000) }, { claim: true });
  world.submit(bytes);
  world.mine(2);
  await until(id, 'its claim is mined', ([it]) => it?.spend?.height === world.tip().height - 1);
  world.reorg(2);
  await until(id, 'its claim waits again', ([it]) => it?.spend?.height === null && it.spend.by === 'claim');
  world.mine(1);
  await until(id, 'its claim is mined again', ([it]) => it?.spend?.height === world.tip().height);
  world.reorg(1, [txid]);
  await until(id, 'its claim is gone', ([it]) => it?.spend === null);
  world.reorg(4, [coin.txid]);
  await until(id, 'it is gone itself', (coins) => coins.length === 0);
});

test('a funding that left the mempool is gone', async () => {
  const { id, one } = openHtlc();
  watch.add(id, one);
  const coin = pay(one);
  await until(id, 'it waits', (coins) => coins.length === 1);
  world.reorg(1, [coin.txid]);
  await until(id, 'it is gone', (coins) => coins.length === 0);
});

test('a source that goes on listing a coin does not hide its claim', async () => {
  const { id, one } = openHtlc();
  const coin = pay(one);
  world.mine(1);
  const listed = await truth.coins([one.script]);
  lies.coins = async () => listed;
  watch.add(id, { ...one, coins: named(coin) });
  await until(id, 'it is mined', ([it]) => it?.height === world.tip().height);
  world.submit(clientSpend(one.terms, { ...coin, amount: sats(50_000) }, { claim: true }).bytes);
  await until(id, 'the claim', ([it]) => it?.spend?.by === 'claim');
});

test('fault 7, bitcoin: dust of a stranger hides no coin that the swap named, and has a ceiling', async () => {
  const { id, one } = openHtlc();
  const small = pay(one, 10_000n);
  const dust = Array.from({ length: 200 }, (_, i) => ({
    outpoint: { txid: i.toString(16).padStart(64, '0'), vout: 0 },
    script: one.script,
    amount: sats(20_000 + i),
    height: 1,
  }));
  lies.coins = async (scripts) => [...dust, ...(await truth.coins(scripts))];
  watch.add(id, { ...one, coins: named(small, 10_000n) });
  await until(id, 'all that is told', (coins) => coins.length > 0);
  const coins = news.get(id)?.coins ?? [];
  expect([coins.length, coins.some(({ outpoint }) => outpointKey(outpoint) === outpointKey(small))]).toEqual([
    51,
    true,
  ]);
});

test('fault 7, bitcoin: decoys that a swap lists no more are asked for no more', async () => {
  const { id, one } = openHtlc();
  const coins = Array.from({ length: 12 }, (_, i) => pay(one, 1_000n + BigInt(i)));
  world.mine(1);
  watch.add(id, one);
  await until(id, 'all are there', (all) => all.length === coins.length);
  // As decoys outbid each other its list has others each time.
  for (const [i, coin] of coins.entries()) {
    watch.remove(id, one);
    watch.add(id, { ...one, coins: named(coin, 1_000n + BigInt(i)) });
  }
  const looks = new Set<string>();
  lies.spend = async (outpoint) => {
    looks.add(outpointKey(outpoint));
    return truth.spend(outpoint);
  };
  const before = calls['tip'] ?? 0;
  await eventually(() => (calls['tip'] ?? 0) > before + 5, 'some looks');
  expect([...looks]).toEqual(coins.slice(-1).map(outpointKey));
});

test('fault 38, bitcoin: a script that no source can list keeps no swap from the coins that it named', async () => {
  const [poisoned, other] = [openHtlc(), openHtlc()];
  const [coin, good] = [pay(poisoned.one), pay(other.one)];
  lies.coins = async (scripts) => {
    if (scripts.includes(poisoned.one.script)) throw onchainFailure('bitcoin-away', 'safe', 'too many coins');
    return truth.coins(scripts);
  };
  watch.add(poisoned.id, { ...poisoned.one, coins: named(coin) });
  watch.add(other.id, other.one);
  await until(other.id, 'the other one', ([it]) => it !== undefined && outpointKey(it.outpoint) === outpointKey(good));
  await until(poisoned.id, 'by its name', ([it]) => it?.spend === null);
  world.submit(clientSpend(poisoned.one.terms, { ...coin, amount: sats(50_000) }, { claim: true }).bytes);
  await until(poisoned.id, 'its claim', ([it]) => it?.spend?.by === 'claim');
});

test('fault 233, bitcoin: no block is read for a new swap that is older than it', async () => {
  const old = openHtlc();
  const listed: [scripts: number, since: number | undefined][] = [];
  watch.add(old.id, old.one);
  await until(old.id, 'the old one', (coins) => coins.length === 0);
  world.mine(300);
  lies.coins = (scripts, since, ...rest) => {
    listed.push([scripts.length, since]);
    return truth.coins(scripts, since, ...rest);
  };
  const fresh = openHtlc();
  watch.add(fresh.id, fresh.one);
  await until(fresh.id, 'the new one', (coins) => coins.length === 0);
  await eventually(() => listed.some(([scripts]) => scripts === 2), 'both at once');
  const apart = listed.filter(([scripts]) => scripts === 1).map(([, since]) => since);
  expect(new Set(apart)).toEqual(new Set([old.one.since, fresh.one.since]));
});

test('a look at many costs one listing, and nothing is asked once nobody watches', async () => {
  const many = Array.from({ length: 30 }, () => openHtlc());
  for (const { id, one } of many) watch.add(id, one);
  await eventually(() => many.every(({ id }) => news.has(id)), 'all are told');
  const [listings, tips] = [calls['coins'] ?? 0, calls['tip'] ?? 0];
  // One more for those that are new.
  expect([listings <= 2 * tips, tips < many.length, calls['spend'] ?? 0]).toEqual([true, true, 0]);
  for (const { id, one } of many) watch.remove(id, one);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const rest = { ...calls };
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([calls, failures]).toEqual([rest, []]);
});

test('fault 214, bitcoin: swaps that nobody paid for in time are looked at in one of eight looks', async () => {
  const many = Array.from({ length: 40 }, () => openHtlc());
  const ours = openHtlc();
  const listed = new Map<string, number>();
  /** Of each look, how many were listed in it. */
  const looks: number[] = [];
  const early = new Set<string>();
  lies.tip = () => {
    looks.push(0);
    return truth.tip();
  };
  lies.coins = (scripts, ...rest) => {
    if (looks.length <= 4) for (const script of scripts) early.add(toHex(script));
    for (const script of scripts) listed.set(toHex(script), (listed.get(toHex(script)) ?? 0) + 1);
    looks.push((looks.pop() ?? 0) + scripts.length);
    return truth.coins(scripts, ...rest);
  };
  for (const { id, one } of [...many, ours]) watch.add(id, { ...one, ...(id === ours.id ? {} : { turn: 'seldom' }) });
  await eventually(() => looks.length > 60, 'many looks');
  // Each is looked at once before it may rest; the others never wait.
  expect(early.size).toBe(41);
  const later = looks.slice(4, -1);
  expect(listed.get(toHex(ours.one.script))).toBeGreaterThan(later.length);
  expect(later.reduce((sum, count) => sum + count, 0) / later.length).toBeLessThan(8);
  expect(Math.max(...later)).toBeLessThan(20);
  // What comes late all the same is found; and who is watched as the others again is.
  const [late, busy] = many as [(typeof many)[0], (typeof many)[0]];
  const coin = pay(late.one);
  await until(late.id, 'it is found', ([it]) => it !== undefined && outpointKey(it.outpoint) === outpointKey(coin));
  watch.remove(busy.id, { ...busy.one, turn: 'seldom' });
  watch.add(busy.id, busy.one);
  const [before, from] = [listed.get(toHex(busy.one.script)) ?? 0, looks.length];
  await eventually(() => looks.length > from + 20, 'more looks');
  expect((listed.get(toHex(busy.one.script)) ?? 0) - before).toBeGreaterThanOrEqual(20);
});

test('a swap that fails by what it is told keeps no other one from it', async () => {
  const [first, second] = [openHtlc(), openHtlc()];
  const deliver = news.set.bind(news);
  news.set = (id, event) => {
    if (id === first.id) throw new Error('a bug');
    return deliver(id, event);
  };
  watch.add(first.id, first.one);
  watch.add(second.id, second.one);
  await until(second.id, 'the second', () => true);
  expect(failures[0]).toEqual([first.id, 'a bug']);
});

test('a source that says nothing of one coin keeps no other swap waiting', async () => {
  const all = Array.from({ length: 21 }, () => {
    const { id, one } = openHtlc();
    const coin = pay(one);
    watch.add(id, { ...one, coins: named(coin) });
    return { id, one, coin };
  });
  for (const { id } of all) await until(id, 'its coin', (coins) => coins.length === 1);
  const [slow, ...others] = all;
  const silent = Promise.withResolvers<null>();
  lies.spend = (outpoint, fits) => (outpoint.txid === slow?.coin.txid ? silent.promise : truth.spend(outpoint, fits));
  for (const { one, coin } of all)
    world.submit(clientSpend(one.terms, { ...coin, amount: sats(50_000) }, { claim: true }).bytes);
  try {
    for (const { id } of others) await until(id, 'its claim', ([it]) => it?.spend?.by === 'claim');
  } finally {
    silent.resolve(null);
  }
});
