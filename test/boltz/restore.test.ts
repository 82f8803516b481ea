import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { expect, test } from 'vitest';
import type { DoorContext } from '../../engine/boltz/context.ts';
import { idsOfKey } from '../../engine/boltz/of-key.ts';
import { restoreSwaps } from '../../engine/boltz/restore.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { unix } from '../../engine/domain/time.ts';
import { openStore, swapRow } from '../store/support.ts';
import { longestTurn } from '../support/turns.ts';

const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(7));
const branch = master.derive('m/44/0/0/0');
const keyAt = (index: number) => hex.encode(branch.deriveChild(index).publicKey ?? new Uint8Array());

/** Ids that an answer is made of, where the keys have these. */
async function restored(
  ofKeys: Readonly<Record<string, readonly string[]>>,
  request: object,
  charge: (units: number) => number = () => 0,
): Promise<string[]> {
  const ids: string[] = [];
  const boltzSwaps = {
    ofKey: (key: Uint8Array, after: string, most: number) =>
      (ofKeys[hex.encode(key)] ?? [])
        .filter((id) => id > after)
        .slice(0, most)
        .map((id) => ({ id, funded: false, createdAt: 0 })),
    swapOf: (id: string) => (ids.push(id), null),
  };
  await restoreSwaps({ context: { runtime: { store: { boltzSwaps } } } } as unknown as DoorContext, request, charge);
  return ids;
}

const many = Array.from({ length: 1_000 }, (_, i) => `stranger${String(i).padStart(4, '0')}`);

test.each([
  ['of keys', { publicKeys: [keyAt(0), keyAt(1)] }],
  ['below an extended key', { xpub: master.publicExtendedKey }],
])('a thousand swaps that a stranger made with one key hide none %s', async (_, request) => {
  const ids = await restored({ [keyAt(0)]: many, [keyAt(1)]: ['mine12345678'] }, request);
  expect([ids.length, ids.includes('mine12345678')]).toEqual([1_000, true]);
});

test('of one key the swaps that were funded come before those that cost nothing', async () => {
  const { store } = openStore();
  const key = asPublicKey(new Uint8Array(33).fill(1));
  for (const [at, status] of (['clientfunded', 'pending', 'serverredeemed', 'expired'] as const).entries()) {
    store.swaps.insert(swapRow({ id: `swap-${status}`, status, createdAt: unix(1_000 + at) }));
    store.boltzSwaps.insert(status, `swap-${status}`, [key], null);
  }
  expect(await idsOfKey(store.boltzSwaps, key, 3)).toEqual(['serverredeemed', 'clientfunded', 'expired']);
});

test('a client with more swaps than it may ask for at once gets all of them, and pays for each', async () => {
  const burst = 300;
  let left = burst - 20;
  let paid = 0;
  const charge = (units: number): number => {
    if (left < Math.min(units, burst)) {
      left = burst;
      return 1;
    }
    left -= units;
    paid += units;
    return 0;
  };
  const ids = await restored({ [keyAt(0)]: many }, { publicKey: keyAt(0) }, charge);
  expect([ids.length, paid]).toEqual([1_000, 1_000]);
});

test('fault 51: whoever has a thousand keys derived pays for the time that takes', async () => {
  let paid = 0;
  const charge = (units: number): number => ((paid += units), 0);
  const used = Array.from({ length: 10 }, (_, at) => [keyAt(100 * at), [`swap${at}`.padEnd(12, 'x')]] as const);
  const begun = performance.now();
  const ids = await restored(Object.fromEntries(used), { xpub: master.publicExtendedKey, gapLimit: 150 }, charge);
  // A unit is about a millisecond of this node, and 20 were paid before.
  expect([ids.length, performance.now() - begun > 100]).toEqual([10, true]);
  expect(paid).toBeGreaterThan(400);
});

test('a client with few keys pays for them with the request', async () => {
  let paid = 0;
  const charge = (units: number): number => ((paid += units), 0);
  await restored({ [keyAt(0)]: ['swap0xxxxxxx'] }, { xpub: master.publicExtendedKey, gapLimit: 20 }, charge);
  expect(paid).toBe(1);
});

test('fault 178: a key that is named a hundred times is looked for once, others in their own turn', async () => {
  const looks: string[] = [];
  const boltzSwaps = { ofKey: (key: Uint8Array) => (looks.push(hex.encode(key)), []), swapOf: () => null };
  const door = { context: { runtime: { store: { boltzSwaps } } } } as unknown as DoorContext;
  const [one, other] = [keyAt(0), keyAt(1)];
  const publicKeys = Array.from({ length: 98 }, (_, at) => (at % 2 === 0 ? one : one.toUpperCase()));
  const answer = restoreSwaps(door, { publicKey: one, publicKeys: [...publicKeys, other] }, () => 0);
  expect(looks).toEqual([one]);
  await answer;
  expect(looks).toEqual([one, other]);
});

test('fault 178: twenty thousand swaps of one key are read a part at a time, and none of them is missed', async () => {
  const { store } = openStore();
  const key = asPublicKey(new Uint8Array(33).fill(2));
  const many = 19_200;
  store.atomically(() => {
    for (let at = 0; at < many; at++) {
      // The oldest is the one that was funded.
      const status = at === 0 ? 'clientfunded' : 'expired';
      store.swaps.insert(swapRow({ id: `swap-${at}`, status, createdAt: unix(1_000 + at) }));
      store.boltzSwaps.insert(`id-${(7_919 * at) % many}`, `swap-${at}`, [key], null);
    }
  });
  let ids: string[] = [];
  const longest = await longestTurn(async () => (ids = await idsOfKey(store.boltzSwaps, key, 1_000)));
  const newest = Array.from({ length: 999 }, (_, i) => `id-${(7_919 * (many - 1 - i)) % many}`);
  expect(ids).toEqual(['id-0', ...newest]);
  expect(longest).toBeLessThan(50);
});
