import { randomBytes, randomUUID } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configSchema } from '../../../engine/config/schema.ts';
import type { Recovery } from '../../../engine/contract/records/swap.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { userIdsOf } from '../../../engine/legs/xpub.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { longestTurn } from '../../support/turns.ts';

let scene: Scene;

const wallet = newXpub();

beforeAll(async () => {
  scene = await openScene({ config: { recoveryGap: 200 } }, 'usual');
  const row = scene.node.store.swaps.byId(
    (await scene.client.createLightningArkade(scene.node, 20_000n, scene.client.secret())).id,
  );
  if (row === null) throw new Error('the swap was not saved');
  const userId = userIdOf(wallet, 3);
  for (let i = 0; i < 2_000; i++)
    scene.node.store.swaps.insert({
      ...row,
      id: randomUUID(),
      open: false,
      userId,
      createdAt: (row.createdAt - i) as never,
    });
});

afterAll(() => scene.end());

function newXpub(): string {
  return HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey;
}

function userIdOf(xpub: string, index: number): string {
  const ids = userIdsOf(xpub);
  if (isRefusal(ids)) throw new Error(ids.sentence);
  return toHex(ids(index));
}

async function recover(xpub: string, startIndex = 0): Promise<Recovery | Refusal> {
  return scene.node.service.recover({ xpub, startIndex });
}

test('one request ends at the widest gap that can be configured', async () => {
  expect(await recover(newXpub())).toMatchObject({ complete: true, scanned_until: 199 });
  expect(configSchema.shape.recoveryGap.safeParse(201).success).toBe(false);
});

test('fault 51: fifteen recoveries at once let the event loop turn all the time', async () => {
  await recover(newXpub());
  const wallets = Array.from({ length: 15 }, newXpub);
  const longest = await longestTurn(() => Promise.all(wallets.map((xpub) => recover(xpub))));
  expect(longest).toBeLessThan(40);
});

test('fault 51: a wallet that asks again costs its look-ups and no keys', async () => {
  const xpub = newXpub();
  const first = process.cpuUsage();
  await recover(xpub);
  const derived = process.cpuUsage(first).user;
  const second = process.cpuUsage();
  for (let i = 0; i < 3; i++) await recover(xpub);
  expect(process.cpuUsage(second).user / 3).toBeLessThan(derived / 2);
});

test('fault 51: more recoveries than may wait are turned away with a sentence, the others answered', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => recover(wallet, 1_000)));
  const refused = answers.filter((answer) => isRefusal(answer));
  expect([answers.length - refused.length > 30, refused.length > 0, refused[0]]).toEqual([
    true,
    true,
    { refusal: 'flood', sentence: 'The node is busy with the recoveries of others: try again in a moment.' },
  ]);
});

test('fault 51: thousands of swaps under one user id make an answer of bounded size, the newest first', async () => {
  const recovered = await recover(wallet);
  if (isRefusal(recovered)) throw new Error(recovered.sentence);
  const made = recovered.swaps.map(({ created_at }) => created_at);
  expect([recovered.swaps.length, recovered.swaps.every(({ index }) => index === 3), made]).toEqual([
    100,
    true,
    made.toSorted().toReversed(),
  ]);
  expect({ highest: recovered.highest_index, next: recovered.next_index }).toEqual({ highest: 3, next: 4 });
});

test('fault 71: swaps of words that began again far on are found by whoever asks on from there', async () => {
  const xpub = newXpub();
  const [row] = scene.node.store.swaps.byUser(userIdOf(wallet, 3), 1).map((id) => scene.node.store.swaps.byId(id));
  if (row === undefined || row === null) throw new Error('there is no swap to copy');
  const indices = [2, 10_000, 10_019, 110_000, 220_000];
  for (const index of indices)
    scene.node.store.swaps.insert({ ...row, id: randomUUID(), open: false, userId: userIdOf(xpub, index) });
  const pages: (readonly [number, readonly number[], number, boolean])[] = [];
  for (let start: number | null = 0; start !== null && pages.length < 20;) {
    const page = await recover(xpub, start);
    if (isRefusal(page)) throw new Error(page.sentence);
    pages.push([start, page.swaps.map(({ index }) => index), page.scanned_until, page.complete]);
    start = page.complete ? null : page.scanned_until + 1;
  }
  expect(pages.filter(([, indices, , complete]) => indices.length > 0 || complete)).toEqual([
    [0, [2], 199, false],
    [10_000, [10_000, 10_019], 10_199, false],
    [110_000, [110_000], 110_199, false],
    [110_200, [], expect.any(Number), true],
  ]);
});

async function recoverAs(client: string, signal?: AbortSignal): Promise<Recovery | Refusal> {
  return scene.node.service.recover({ xpub: wallet, startIndex: 0 }, client, signal);
}

test('fault 364: a client, or a site, that asks for many recoveries leaves room for those of others', async () => {
  const many = Array.from({ length: 60 }, () => recoverAs('203.0.113.1'));
  const ofSite = Array.from({ length: 60 }, (_, i) => recoverAs(`2001:db8:1:${i}::/64`));
  const other = recoverAs('203.0.113.2');
  const answered = async (all: readonly Promise<Recovery | Refusal>[]) =>
    (await Promise.all(all)).filter((one) => !isRefusal(one)).length;
  expect([await answered(many), await answered(ofSite), await answered([other])]).toEqual([2, 2, 1]);
});

test('fault 364: a recovery whose client has left is dropped, and its place is free at once', async () => {
  const before = scene.node.store.swaps.byUser;
  let looks = 0;
  scene.node.store.swaps.byUser = (...of) => {
    looks += 1;
    return before(...of);
  };
  const all: Promise<Recovery | Refusal>[] = [];
  for (let i = 0; i < 120; i++) {
    const caller = new AbortController();
    all.push(recoverAs(`203.0.113.${i % 60}`, caller.signal));
    caller.abort();
  }
  const last = await recoverAs('203.0.113.1');
  await Promise.all(all);
  scene.node.store.swaps.byUser = before;
  expect([isRefusal(last), looks < 500]).toEqual([false, true]);
});
