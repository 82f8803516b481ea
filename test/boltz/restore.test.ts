import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { expect, test } from 'vitest';
import type { DoorContext } from '../../engine/boltz/context.ts';
import { idsOfKey } from '../../engine/boltz/of-key.ts';
import { restoreSwaps } from '../../engine/boltz/restore.ts';
import { createWaiting } from '../../engine/boltz/waiting.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { unix } from '../../engine/domain/time.ts';
import { openStore, swapRow } from '../store/support.ts';
import { longestTurn } from '../support/turns.ts';

const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(7));
const branch = master.derive('m/44/0/0/0');
const every = <T>(of: (at: number) => T) => Array.from({ length: 10 }, (_, at) => of(at));
const keyAt = (index: number) => hex.encode(branch.deriveChild(index).publicKey ?? new Uint8Array());

function doorOf(boltzSwaps: object): DoorContext {
  return { context: { runtime: { store: { boltzSwaps } } }, waiting: createWaiting() } as unknown as DoorContext;
}

function caller(charge: (units: number) => number = () => 0, client = '203.0.113.1') {
  const closed = new AbortController();
  return { charge, client, signal: closed.signal, leaves: () => closed.abort() };
}

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
  await restoreSwaps(doorOf(boltzSwaps), request, caller(charge));
  return ids;
}

test('the keys below an extended one are those that published clients derive', async () => {
  // BIP 39: eleven times abandon, and about.
  const xpub =
    'xpub661MyMwAqRbcFkPHucMnrGNzDwb6teAX1RbKQmqtEF8kK3Z7LZ59qafCjB9eCRLiTVG3uxBxgKvRgbubRhqSKXnGGb1aoaqLrpMBDrVxga8';
  const first = '03ce83ae7b2ef20f50d7adab682b25111df74ee40121e021cd8b6cad8a93f78fec';
  expect(await restored({ [first]: ['first1234567'] }, { xpub })).toEqual(['first1234567']);
});

test('by another path than the usual one, and by a part of the keys alone', async () => {
  const xpub = master.publicExtendedKey;
  const other = master.derive('m/49/1/0').deriveChild(2).publicKey ?? new Uint8Array();
  const ofKeys = {
    [hex.encode(other)]: ['other1234567'],
    ...Object.fromEntries(every((at) => [keyAt(at), [`mine${at}xxxxxxx`]])),
  };
  expect(await restored(ofKeys, { xpub, derivationPath: 'm/49/1/0' })).toEqual(['other1234567']);
  expect(await restored(ofKeys, { xpub, pagination: { startIndex: 3, limit: 4 } })).toEqual(
    [3, 4, 5, 6].map((at) => `mine${at}xxxxxxx`),
  );
  expect(await restored(ofKeys, { xpub, gapLimit: 1, pagination: { startIndex: 12, limit: 10 } })).toEqual([]);
  expect(await restored(ofKeys, { xpub, pagination: { limit: 2 } })).toEqual(['mine0xxxxxxx', 'mine1xxxxxxx']);
});

test.each([
  { derivationPath: "m/44'/0/0/0" },
  { derivationPath: '44/0' },
  { pagination: { startIndex: -1 } },
  { pagination: { limit: 1_001 } },
  { gapLimit: 151 },
])('what is no such part is refused, %o', async (part) => {
  const charge = () => expect.fail('it charges for nothing');
  await expect(restored({}, { xpub: master.publicExtendedKey, ...part }, charge)).resolves.toEqual([]);
});

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
  const [one, other] = [keyAt(0), keyAt(1)];
  const publicKeys = Array.from({ length: 98 }, (_, at) => (at % 2 === 0 ? one : one.toUpperCase()));
  const answer = restoreSwaps(doorOf(boltzSwaps), { publicKey: one, publicKeys: [...publicKeys, other] }, caller());
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

/** A request that waits after forty keys, as nothing is left of its client's allowance. */
function waits(door: DoorContext, client: string) {
  let charges = 0;
  const by = caller((units) => (units > 0 ? (charges++, 600) : 0), client);
  const answer = restoreSwaps(door, { xpub: master.publicExtendedKey, gapLimit: 150 }, by);
  return { answer, leaves: by.leaves, charges: () => charges };
}

test('fault 265: a restore whose client has left ends, and is charged no more', async () => {
  const door = doorOf({ ofKey: () => [] });
  const { answer, leaves, charges } = waits(door, '203.0.113.1');
  await expect.poll(charges, { interval: 1 }).toBe(1);
  leaves();
  await expect(answer).resolves.toMatchObject({ refusal: 'unavailable' });
  expect(charges()).toBe(1);
});

test('fault 265: two restores of a client may wait, and thirty-two of all clients', async () => {
  const door = doorOf({ ofKey: () => [] });
  const waiting = Array.from({ length: 32 }, (_, at) => waits(door, `203.0.113.${at >> 1}`));
  await expect.poll(() => waiting.every(({ charges }) => charges() > 0), { interval: 1 }).toBe(true);
  for (const client of ['203.0.113.0', '203.0.113.99'])
    expect(await waits(door, client).answer).toMatchObject({ refusal: 'flood', retryAfter: 600 });
  // Who has left gives way.
  waiting[0]?.leaves();
  await waiting[0]?.answer;
  const next = waits(door, '203.0.113.0');
  await expect.poll(next.charges, { interval: 1 }).toBe(1);
  for (const { leaves } of [...waiting, next]) leaves();
  const answers = await Promise.all([...waiting, next].map(({ answer }) => answer));
  expect(answers.filter(isRefusal).map(({ refusal }) => refusal)).toEqual(Array(33).fill('unavailable'));
});

test('fault 265: two restores of a site may wait, whichever of its networks ask', async () => {
  const door = doorOf({ ofKey: () => [] });
  const waiting = [1, 2].map((at) => waits(door, `2001:db8:7:${at}::/64`));
  await expect.poll(() => waiting.every(({ charges }) => charges() > 0), { interval: 1 }).toBe(true);
  expect(await waits(door, '2001:db8:7:3::/64').answer).toMatchObject({ refusal: 'flood' });
  const other = waits(door, '2001:db8:8:1::/64');
  await expect.poll(other.charges, { interval: 1 }).toBe(1);
  for (const { leaves } of [...waiting, other]) leaves();
  await Promise.all([...waiting, other].map(({ answer }) => answer));
});

test('a restore that need not wait takes no place of those that do', async () => {
  const door = doorOf({ ofKey: () => [] });
  const waiting = Array.from({ length: 32 }, (_, at) => waits(door, `203.0.113.${at >> 1}`));
  await expect.poll(() => waiting.every(({ charges }) => charges() > 0), { interval: 1 }).toBe(true);
  expect(await restoreSwaps(door, { xpub: master.publicExtendedKey }, caller(undefined, '203.0.113.0'))).toEqual([]);
  for (const { leaves } of waiting) leaves();
  await Promise.all(waiting.map(({ answer }) => answer));
});
