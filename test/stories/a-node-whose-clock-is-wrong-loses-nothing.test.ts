import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Json } from './client/http.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

const hour = 3_600;

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
});

afterAll(() => node.stop());

async function skew(seconds: number): Promise<void> {
  await node.owner('POST', '/sandbox/clock/skew', { seconds });
}

beforeEach(() => skew(0));

async function bitcoin(): Promise<Json> {
  const { networks } = await node.owner('GET', '/owner/status');
  return (networks as Json[]).find(({ name }) => name === 'bitcoin') as Json;
}

async function clockRows(): Promise<string[]> {
  const { rows } = await node.owner('GET', '/owner/doctor');
  return (rows as Json[])
    .filter(({ network, check }) => network === 'bitcoin' && check === 'lag')
    .map(({ result, sentence }) => `${String(result)}: ${String(sentence)}`);
}

async function pairs(): Promise<number> {
  return ((await node.get('/swap-pairs'))['pairs'] as unknown[]).length;
}

test('fault 45: 14 h ahead, both directions still end well', async () => {
  await skew(14 * hour);
  expect(await pairs()).toBeGreaterThan(0);
  expect(await bitcoin()).toMatchObject({
    state: 'connected',
    detail: expect.stringMatching(/this machine's clock is ahead/),
    lag_seconds: expect.any(Number),
  });
  const client = await node.client();
  const out = await node.invoice(40_000, { expiry_seconds: 3 * 24 * hour });
  const paid = await client.arkadeToLightning(out.bolt11);
  await node.faucet(paid.vhtlc.address, paid.price);
  await node.until(paid, 'serverredeemed');
  const swap = await client.lightningToArkade({ source: 50_000 });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
  expect(await node.payment(hash)).toBe('settled');
});

test('fault 45: 12 h behind, the pairs of Bitcoin are withdrawn, and what was open goes on', async () => {
  const client = await node.client();
  const swap = await client.lightningToArkade({ source: 50_000 });
  await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await skew(-12 * hour);
  await node.restart();
  expect(await pairs()).toBe(0);
  const refused = await node.raw('POST', '/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    refund_pk: client.arkade.publicKey,
    user_id: 'story',
    lightning_invoice: (await node.invoice(40_000)).bolt11,
  });
  expect([refused.status, refused.body]).toEqual([
    503,
    { error: "New swaps over Bitcoin wait: its clock and this node's are too far apart. Try again later." },
  ]);
  const shown = await bitcoin();
  expect(shown).toMatchObject({
    state: 'connected',
    detail: expect.stringMatching(/12 h behind the median time past .* New swaps over Bitcoin wait/),
  });
  expect(Math.abs(Number(shown['lag_seconds']) + 12 * hour)).toBeLessThan(120);
  expect(await clockRows()).toEqual([expect.stringMatching(/^fail: This machine's clock is 12 h behind/)]);
  expect((await node.owner('GET', '/owner/status'))['paused']).toBeNull();
  const answers = JSON.stringify([
    await node.get('/status'),
    await node.get('/swap-pairs'),
    await node.get('/mtp'),
    await node.get('/tokens'),
  ]);
  expect(answers).not.toMatch(/lag|behind|apart/);
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
  await skew(0);
  await eventually(pairs, (count) => count > 0);
  expect(await clockRows()).toEqual([expect.stringMatching(/^pass: /)]);
});
