import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashLockOf } from './client/vhtlc.ts';
import { whole, type Json } from './client/http.ts';
import type { Client } from './client/client.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
});

afterAll(() => node.stop());

const faults = {
  'the Arkade operator': {
    route: '/sandbox/arkade/fault',
    name: 'operator',
    key: 'arkade',
    chain: 'Arkade',
    reason: /This direction needs an Arkade operator, and the connected one does not answer now: try again later\./,
  },
  'the Lightning node': {
    route: '/sandbox/lightning/fault',
    name: 'node',
    key: 'lightning',
    chain: 'Lightning',
    reason: /This direction needs a Lightning node, and the connected one does not answer now: try again later\./,
  },
} as const;

async function creates(bolt11: string): Promise<readonly (readonly [number, string])[]> {
  const common = { arkade_htlc_script_version: 1, user_id: 'story' };
  const replies = [
    await node.raw('POST', '/swap/lightning/arkade', {
      ...common,
      claim_pk: client.arkade.publicKey,
      hash_lock: hashLockOf(randomBytes(32)),
      target_arkade_address: client.arkade.address,
      source_amount_sats: 20_000,
    }),
    await node.raw('POST', '/swap/arkade/lightning', {
      ...common,
      refund_pk: client.arkade.publicKey,
      lightning_invoice: bolt11,
    }),
  ];
  return replies.map(({ status, body }) => [status, String(body['error'] ?? '')] as const);
}

async function services(): Promise<Record<string, { healthy: boolean }>> {
  return (await node.raw('GET', '/status')).body['services'] as Record<string, { healthy: boolean }>;
}

test.each(Object.keys(faults) as (keyof typeof faults)[])(
  'fault 37: while %s is away creates answer 503 with the reason, and open swaps go on when it is back',
  async (who) => {
    const { route, name, key, chain, reason } = faults[who];
    const waiting = await client.lightningToArkade({ source: 20_000 });
    const { bolt11, hash } = await node.invoice(20_000);
    const paying = await client.arkadeToLightning(bolt11);
    const other = await node.invoice(20_000);
    await node.owner('POST', route, { [name]: 'away' });
    await eventually(services, (health) => health[key]?.healthy === false);
    expect(await creates(other.bolt11)).toEqual([
      [503, expect.stringMatching(reason)],
      [503, expect.stringMatching(reason)],
    ]);
    const { pairs: offered } = await node.get('/swap-pairs');
    // Others may go on without this network.
    const pairs = (offered as { source: string; target: string }[]).filter((pair) =>
      [pair.source, pair.target].includes(chain),
    );
    const { status, body } = await node.raw('GET', '/status');
    expect({ pairs, status, healthy: body['healthy'] }).toEqual({ pairs: [], status: 503, healthy: false });
    // Both swaps are paid for meanwhile.
    const held = await node.pay(waiting.bolt11);
    await node.faucet(paying.vhtlc.address, paying.price);
    await node.advance(1_200);
    await node.owner('POST', route, { [name]: 'back' });
    await eventually(services, (health) => health[key]?.healthy === true);
    await node.until(waiting, 'serverfunded');
    await client.claim(waiting);
    await node.until(waiting, 'serverredeemed');
    await node.until(paying, 'serverredeemed');
    expect([await node.payment(held), await node.payment(hash)]).toEqual(['settled', 'settled']);
    expect((await creates(other.bolt11)).map(([code]) => code)).toEqual([200, 200]);
  },
  60_000,
);

test('fault 26: claimed at the end while our Lightning node is away, a payment is held until it is back', async () => {
  const swap = await client.lightningToArkade({ source: 20_000 });
  const hash = await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'away' });
  await node.advanceTo(whole(swap.record, 'vhtlc_refund_locktime') - 60);
  await client.claim(swap);
  await node.until(swap, 'clientredeemed');
  // The whole margin of two hours, less a block.
  await node.advance(6_600);
  expect(await node.payment(hash)).toBe('in_flight');
  await node.owner('POST', '/sandbox/lightning/fault', { node: 'back' });
  await node.until(swap, 'serverredeemed');
  expect(await node.payment(hash)).toBe('settled');
  await eventually(services, (health) => health['lightning']?.healthy === true);
});

test("the owner's pause stops creates, with its reason, and nothing else", async () => {
  const swap = await client.lightningToArkade({ source: 20_000 });
  const { bolt11 } = await node.invoice(20_000);
  await node.owner('POST', '/owner/pause', { reason: 'moving house' });
  expect(await creates(bolt11)).toEqual(
    [1, 2].map(() => [503, expect.stringMatching(/New swaps are paused: moving house$/)]),
  );
  expect((await node.owner('GET', '/owner/status'))['paused']).toMatchObject({ by: 'owner', reason: 'moving house' });
  await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
  await node.owner('POST', '/owner/resume', {} satisfies Json);
  expect((await creates(bolt11)).map(([status]) => status)).toEqual([200, 200]);
});
