import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { Json } from './client/http.ts';
import { payFromOutside } from './pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;

beforeAll(async () => {
  node = await startWireNode();
  await eventually(pairs, (count) => count > 0, 60_000);
  await node.owner('PATCH', '/owner/settings', { live: false });
}, 120_000);
afterAll(() => node.stop());

const sentence = 'This node takes no swaps yet: its owner is still setting it up. Try again later.';
const quote = '/quote?source_chain=Lightning&source_token=btc&target_chain=Arkade&target_token=btc&source_amount=50000';

async function pairs(): Promise<number> {
  return ((await node.get('/swap-pairs'))['pairs'] as readonly Json[]).length;
}

test('a stranger finds no pair, no token and no price, and is told why at a create', async () => {
  const client = await node.client();
  const created = await client.lightningToArkade({ source: 50_000 }).catch((error: Error) => error.message);
  const { status, body } = await node.raw('GET', quote);
  expect({
    pairs: await pairs(),
    tokens: await node.get('/tokens'),
    chains: await node.get('/chain-config'),
    quote: [status, body],
    created,
    ready: (await node.raw('GET', '/health/ready')).status,
    status: await node.get('/status'),
    live: (await node.owner('GET', '/owner/status'))['live'],
  }).toMatchObject({
    pairs: 0,
    tokens: { btc_tokens: [], evm_tokens: [] },
    chains: { chains: [] },
    quote: [503, { error: sentence }],
    created: expect.stringContaining(sentence),
    ready: 503,
    status: { healthy: true, swaps_paused: true },
    live: false,
  });
}, 60_000);

/** What a client of the Boltz interface asks for, by the kind of its swap: a key is the generator of the curve. */
async function doorAsks(): Promise<readonly (readonly [kind: string, body: Json])[]> {
  const key = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const hash = () => randomBytes(32).toString('hex');
  const { bolt11 } = await node.invoice(50_000);
  const chain = { claimPublicKey: key, refundPublicKey: key, userLockAmount: 100_000 };
  return [
    ['submarine', { from: 'BTC', to: 'BTC', refundPublicKey: key, invoice: bolt11 }],
    ['submarine', { from: 'BTC', to: 'BTC', refundPublicKey: key, preimageHash: hash() }],
    ['reverse', { from: 'BTC', to: 'BTC', claimPublicKey: key, preimageHash: hash(), invoiceAmount: 100_000 }],
    ['chain', { from: 'ARK', to: 'BTC', preimageHash: hash(), ...chain }],
  ];
}

/** Of each kind, what can be swapped for what: with terms that let more than nothing through. */
async function doorPairs(): Promise<readonly string[]> {
  const kinds = ['submarine', 'reverse', 'chain'];
  const listings = await Promise.all(kinds.map((kind) => node.get(`/v2/swap/${kind}`)));
  return listings.flatMap((listing, i) =>
    Object.entries(listing as Record<string, Record<string, { limits: { maximal: number } }>>).flatMap(
      ([from, targets]) =>
        Object.entries(targets)
          .filter(([, { limits }]) => limits.maximal > 0)
          .map(([to]) => `${kinds[i]} ${from} ${to}`),
    ),
  );
}

async function askDoor(): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const [kind, body] of await doorAsks()) {
    const { status, body: answer } = await node.raw('POST', `/v2/swap/${kind}`, body);
    answers.push([kind, status, answer['error']]);
  }
  return answers;
}

test('a client of the Boltz interface finds no pair, and each create is refused with that sentence', async () => {
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: true } });
  expect([await doorPairs(), await askDoor()]).toEqual([
    [],
    ['submarine', 'submarine', 'reverse', 'chain'].map((kind) => [kind, 503, sentence]),
  ]);
}, 60_000);

test('its owner swaps with it all the same, over a restart too', async () => {
  await node.restart();
  const ways = await eventually(
    async () => (await node.owner('GET', '/owner/taker/ways'))['ways'] as readonly Json[],
    (all) => all.some(({ direction }) => direction === 'lightning-arkade'),
    60_000,
  );
  expect([ways.length > 0, await pairs()]).toEqual([true, 0]);
  const { id } = await node.owner('POST', '/owner/taker/swaps', { direction: 'lightning-arkade', amount_sats: 40_000 });
  const swap = async () => (await node.owner('GET', `/owner/taker/swaps/${String(id)}`)) as unknown as TakerSwap;
  await payFromOutside(node, await eventually(swap, ({ phase }) => phase === 'pay', 30_000));
  expect((await eventually(swap, ({ open }) => !open, 60_000)).outcome).toBe('finished');
}, 120_000);

test('strangers are served from the moment that it is live', async () => {
  await node.owner('PATCH', '/owner/settings', { live: true });
  expect([await pairs(), (await doorPairs()).length, await askDoor()]).toEqual([
    expect.toSatisfy((count: number) => count > 0),
    expect.toSatisfy((count: number) => count > 2),
    ['submarine', 'submarine', 'reverse', 'chain'].map((kind) => [kind, 201, undefined]),
  ]);
  const client = await node.client();
  const swap = await client.lightningToArkade({ source: 50_000 });
  await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
}, 60_000);

test('a swap that a stranger has open goes on when its owner ends being live', async () => {
  const client = await node.client();
  const swap = await client.lightningToArkade({ source: 50_000 });
  await node.owner('PATCH', '/owner/settings', { live: false });
  await node.pay(swap.bolt11);
  await node.until(swap, 'serverfunded');
  await client.claim(swap);
  await node.until(swap, 'serverredeemed');
}, 60_000);
