import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hashLockOf } from './client/vhtlc.ts';
import type { Client } from './client/client.ts';
import type { Json, Reply } from './client/http.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;

beforeAll(async () => {
  node = await startWireNode({ environment: { SLUICE_FLOOD__BURST: '120', SLUICE_FLOOD__PER_SECOND: '10' } });
  client = await node.client();
});

afterAll(() => node.stop());

function create(): Promise<Reply> {
  return node.raw('POST', '/swap/lightning/arkade', {
    arkade_htlc_script_version: 1,
    claim_pk: client.arkade.publicKey,
    hash_lock: hashLockOf(randomBytes(32)),
    target_arkade_address: client.arkade.address,
    user_id: 'story',
    source_amount_sats: 9_000_000,
  });
}

async function promised(): Promise<bigint> {
  const { balances } = (await node.owner('GET', '/owner/balances')) as {
    balances: { network: string; reserved: string }[];
  };
  return BigInt(balances.find(({ network }) => network === 'arkade')?.reserved ?? 0);
}

test('fault 43: a flood of creates and sockets is turned away while an open swap goes on', async () => {
  const swap = await client.lightningToArkade({ source: 20_000 });
  const sockets = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const socket = new WebSocket(`${node.url.replace('http', 'ws')}/ws`);
      return new Promise<WebSocket | null>((resolve) =>
        socket.once('open', () => resolve(socket)).once('error', () => resolve(null)),
      );
    }),
  );
  const begun = performance.now();
  const [replies] = await Promise.all([
    Promise.all(Array.from({ length: 400 }, create)),
    (async () => {
      await node.pay(swap.bolt11);
      // The owner counts apart: its own questions are answered in the middle of it.
      for (;;) {
        const { status } = ((await node.owner('GET', `/owner/swaps/${swap.id}`))['record'] ?? {}) as Json;
        if (status === 'serverfunded') return;
        if (performance.now() - begun > 15_000) throw new Error(`the open swap is still ${String(status)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })(),
  ]);
  const codes = new Map<number, number>();
  for (const { status } of replies) codes.set(status, (codes.get(status) ?? 0) + 1);
  const opened = codes.get(200) ?? 0;
  expect({
    codes: [...codes.keys()].toSorted(),
    turnedAway: (codes.get(429) ?? 0) > 200,
    bounded: opened > 0 && opened < 200,
  }).toEqual({ codes: expect.arrayContaining([200, 429]), turnedAway: true, bounded: true });
  expect([...codes.keys()].filter((code) => ![200, 400, 429].includes(code))).toEqual([]);
  expect(await promised()).toBeGreaterThan(0n);
  for (const socket of sockets) socket?.terminate();
  await node.advance(1_900);
  await expect.poll(promised, { timeout: 60_000 }).toBe(0n);
  await client.claim(swap);
  await expect.poll(async () => (await create()).status, { timeout: 60_000 }).toBe(200);
});

test('fault 43: a huge body and a deep one are refused in one sentence', async () => {
  const huge = await node.raw('POST', '/swap/bulk-status', { ids: ['x'.repeat(70_000)] });
  const deep = await fetch(`${node.url}/swap/bulk-status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"ids":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  });
  expect([huge.status, Object.keys(huge.body), deep.status]).toEqual([413, ['error'], 400]);
});
