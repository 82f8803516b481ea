import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { PortFailure } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import { onchainFailure } from '../../../engine/legs/onchain/failures.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { OnchainWatch } from '../../../engine/legs/onchain/watch.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { htlcWatching } from '../../../engine/runtime/networks/onchain/watch.ts';
import type { NetworkWatch } from '../../../engine/runtime/networks/watching.ts';
import { clientPublic, keyOf, scriptOf, termsOf } from './support.ts';

const ours = publicKeyOf(keyOf('ours'));
const tip = { hash: '00'.repeat(32), height: 100, time: unix(0), mtp: unix(0) };

let watch: NetworkWatch<OnchainWatch>;

afterEach(async () => {
  await watch.stop();
  vi.restoreAllMocks();
});

/** An HTLC with one coin that its swap names. */
function htlcOf(person: number, turn?: 'later' | 'seldom'): OnchainWatch {
  const terms = termsOf(clientPublic, ours, 1_800_000_000 + person);
  const outpoint = { txid: person.toString(16).padStart(64, '0'), vout: 0 };
  const agreed = { least: sats(50_000), most: sats(50_000) };
  const coins = [{ outpoint, amount: sats(1_000) }];
  const one = { on: 'htlc', terms, script: scriptOf(terms), since: 90, agreed, coins } as const;
  return turn === undefined ? one : { ...one, turn };
}

test('fault 264, bitcoin: what strangers’ swaps need comes after ours and is cut off in time', async () => {
  const real = performance.now.bind(performance);
  let skipped = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + skipped);
  const lock = htlcOf(1);
  const strangers = Array.from({ length: 60 }, (_, i) => htlcOf(i + 2, 'later'));
  const [own] = lock.coins.map(({ outpoint }) => outpointKey(outpoint));
  /** The coins that were asked after, in their order. */
  const questions: string[] = [];
  const bitcoin = {
    tip: async () => tip,
    coins: async () => [],
    transaction: async () => null,
    async spend(outpoint) {
      const key = outpointKey(outpoint);
      questions.push(key);
      if (key !== own) skipped += 1_000;
      return null;
    },
  } as Partial<BitcoinPort> as BitcoinPort;
  const opened = htlcWatching.open({
    ports: { arkade: null, lightning: null, bitcoin },
    store: null as never,
    evm: null as never,
    taken: null as never,
    deliver: () => undefined,
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 2,
    wall: () => unix(0),
  });
  if (opened === null) throw new Error('it is watched nowhere');
  watch = opened;
  for (const [i, htlc] of [...strangers, lock].entries()) watch.add(`swap ${i}`, htlc);
  watch.start();
  const looks = () => questions.filter((key) => key === own).length;
  for (let left = 2_000; left > 0 && looks() < 9; left--) {
    const before = questions.length;
    await pause(5);
    // Between two looks it rests as long as one took.
    if (questions.length === before) skipped += 60_000;
  }
  const ofLooks = questions
    .join(' ')
    .split(own ?? '')
    .map((part) =>
      part
        .trim()
        .split(' ')
        .filter((key) => key !== ''),
    );
  const [early, ...others] = ofLooks;
  expect(early).toEqual([]);
  const whole = others.slice(0, -1).map((part) => part.length);
  expect([whole.length, Math.max(...whole) <= 24, Math.min(...whole) >= 8]).toEqual([8, true, true]);
  // None waits for ever: those that were never looked at have a time of their own in each look.
  expect(new Set(others.flat()).size).toBe(60);
});

test('fault 289, bitcoin: one stranger’s swap whose coins are many is cut off within its look', async () => {
  const real = performance.now.bind(performance);
  let skipped = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + skipped);
  const lock = htlcOf(1);
  const [own] = lock.coins.map(({ outpoint }) => outpointKey(outpoint));
  const theirs = htlcOf(2, 'later');
  const many = Array.from({ length: 2_000 }, (_, i) => ({
    outpoint: { txid: (i + 1_000).toString(16).padStart(64, '0'), vout: 0 },
    amount: sats(1_000),
  }));
  const named = { ...theirs, coins: many };
  /** When the own coin was asked after, by the questions before. */
  const at: number[] = [];
  const news = new Map<string, number>();
  const bitcoin = {
    tip: async () => tip,
    coins: async () => [],
    transaction: async () => null,
    async spend(outpoint) {
      if (outpointKey(outpoint) === own) at.push(skipped);
      else skipped += 50;
      return { txid: 'ab'.repeat(32), height: 95 };
    },
  } as Partial<BitcoinPort> as BitcoinPort;
  const opened = htlcWatching.open({
    ports: { arkade: null, lightning: null, bitcoin },
    store: { partials: { of: () => [] } } as never,
    evm: null as never,
    taken: null as never,
    deliver: (id, event) => void news.set(id, (event as { coins: readonly unknown[] }).coins.length),
    onFailure: (_, cause) => expect.unreachable(String(cause)),
    pollMs: 2,
    wall: () => unix(0),
  });
  if (opened === null) throw new Error('it is watched nowhere');
  watch = opened;
  watch.add('theirs', named);
  watch.add('ours', lock);
  watch.start();
  for (let left = 2_000; left > 0 && at.length < 4; left--) {
    const before = skipped;
    await pause(5);
    // Between two looks it rests as long as one took, which is not counted.
    if (skipped === before) {
      skipped += 60_000;
      for (let i = 0; i < at.length; i++) at[i] = (at[i] ?? 0) + 60_000;
    }
  }
  const between = at.slice(1).map((time, i) => time - (at[i] ?? 0));
  expect([at.length >= 4, Math.max(...between) <= 20_000]).toEqual([true, true]);
  // Nothing is told of half of them.
  expect([news.get('ours'), news.get('theirs')]).toEqual([1, undefined]);
});

test('fault 289, bitcoin: of one whose coins take longer than its look is told all the same', async () => {
  const real = performance.now.bind(performance);
  let skipped = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + skipped);
  const theirs = htlcOf(2, 'later');
  const others = Array.from({ length: 50 }, (_, i) => ({
    ...{ outpoint: { txid: (i + 1_000).toString(16).padStart(64, '0'), vout: 0 }, script: theirs.script },
    ...{ amount: sats(1_000), height: 95 },
  }));
  let looks = 0;
  const questions: string[] = [];
  const bitcoin = {
    async tip() {
      looks += 1;
      return tip;
    },
    async coins() {
      if (looks > 1) throw onchainFailure('bitcoin-away', 'safe', 'the script has too many coins');
      return others;
    },
    async transaction() {
      skipped += 150;
      return { bytes: new Uint8Array(), height: 95 };
    },
    async spend(outpoint) {
      skipped += 150;
      questions.push(outpointKey(outpoint));
      return null;
    },
  } as Partial<BitcoinPort> as BitcoinPort;
  const news: number[] = [];
  const opened = htlcWatching.open({
    ports: { arkade: null, lightning: null, bitcoin },
    store: { partials: { of: () => [] } } as never,
    evm: null as never,
    taken: null as never,
    deliver: (_, event) => void news.push((event as { coins: readonly unknown[] }).coins.length),
    onFailure: (_, cause) => expect(cause).toBeInstanceOf(PortFailure),
    pollMs: 2,
    wall: () => unix(0),
  });
  if (opened === null) throw new Error('it is watched nowhere');
  watch = opened;
  watch.add('theirs', theirs);
  watch.start();
  for (let left = 2_000; left > 0 && looks < 20 && news.length < 3; left--) {
    const before = questions.length;
    await pause(2);
    // Between two looks it rests as long as one took.
    if (questions.length === before) skipped += 60_000;
  }
  expect(news).toEqual([50, 51, 51]);
  // What was told of is looked at anew.
  const [named = ''] = theirs.coins.map(({ outpoint }) => outpointKey(outpoint));
  expect(questions.filter((key) => key === named).length).toBeGreaterThanOrEqual(3);
});
