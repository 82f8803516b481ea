import { expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { arkadeFailure } from '../../engine/legs/arkade/failures.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import { createVhtlcWatch } from '../../engine/runtime/networks/arkade/watch.ts';
import { coin, coinPoint, lightningArkadeTerms, start } from '../swap/cases.ts';

const { vhtlc } = lightningArkadeTerms;
const scriptOf = (n: number): Uint8Array => new Uint8Array(34).fill(n);
/** Of a swap whose script somebody paid ten thousand times. */
const flooded = scriptOf(1);
const isFlooded = (script: Uint8Array): boolean => toHex(script) === toHex(flooded);
const pauses = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A watch over an operator that gives no list with the flooded script in it, and how often each swap was told. */
async function watchWhere(refuse: () => Promise<never>, change: Partial<ArkadePort> = {}) {
  const news = new Map<string, string[]>();
  const watch = createVhtlcWatch({
    arkade: {
      virtualTxs: async () => new Map(),
      coins: async (scripts: readonly Uint8Array[]) => (scripts.some(isFlooded) ? refuse() : []),
      coinsAt: async () => [coin({ script: flooded })],
      waiting: async () => [],
      watch: () => ({ add: () => undefined, remove: () => undefined, stop: async () => undefined }),
      ...change,
    } as unknown as ArkadePort,
    bitcoin: null,
    store: { exits: { has: () => false, at: () => [] } } as never,
    wall: () => unix(start),
    deliver(id, event) {
      const coins = event.is === 'vhtlc.seen' ? event.coins.map(({ outpoint }) => outpointKey(outpoint)) : [];
      news.set(id, [...(news.get(id) ?? []), coins.join()]);
    },
    onFailure: () => undefined,
    pollMs: 50,
  });
  for (let n = 1; n <= 30; n++) watch.add(`swap ${n}`, vhtlc, scriptOf(n));
  watch.prove({ script: flooded, key: { branch: 'swap', index: 1 }, always: false, coins: [coinPoint] });
  watch.start();
  return { news, watch };
}

async function tooLarge(): Promise<never> {
  throw arkadeFailure('operator-away', 'safe', 'the answer is larger than what may be received');
}

test('fault 95, arkade: a list that fails hides no other script’s coins, nor what is ours there', async () => {
  const { news, watch } = await watchWhere(tooLarge);
  await pauses(900);
  await watch.stop();
  expect([news.size, news.get('swap 1')?.[0]]).toEqual([30, outpointKey(coinPoint)]);
  expect(news.get('swap 30')?.length).toBeGreaterThan(3);
});

test('fault 95, arkade: a list that takes for ever keeps nobody else waiting', async () => {
  const { news, watch } = await watchWhere(() => pauses(300).then(tooLarge));
  await pauses(1_000);
  const before = news.get('swap 30')?.length ?? 0;
  await pauses(900);
  await watch.stop();
  expect((news.get('swap 30')?.length ?? 0) - before).toBeGreaterThan(9);
});

test('fault 95, arkade: a script with hundreds of coins is asked for alone', async () => {
  const questions: number[] = [];
  const many = Array.from({ length: 300 }, (_, i) => {
    const outpoint = { txid: i.toString(16).padStart(64, '0'), vout: 0 };
    return coin({ script: flooded, outpoint, amount: sats(330) });
  });
  const { watch } = await watchWhere(tooLarge, {
    async coins(scripts) {
      if (scripts.some(isFlooded)) questions.push(scripts.length);
      return scripts.some(isFlooded) ? many : [];
    },
  });
  await pauses(400);
  await watch.stop();
  expect(new Set(questions.slice(2))).toEqual(new Set([1]));
});
