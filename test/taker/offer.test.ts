import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { quickFetch } from '../../engine/adapters/provider/fetch.ts';
import { createClient, httpTransport } from '../../engine/contract/client.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import type { Inquiry } from '../../engine/taker/port.ts';
import { faultOf, offerOf } from '../../engine/taker/offer.ts';

/* What is made of a provider's price, whatever it answers. */

type Says = Readonly<Record<string, readonly [status: number, body: unknown] | 'nothing'>>;

let says: Says = {};
const stranger = createServer((request, reply) => {
  const answer = says[(request.url ?? '').replace(/\?.*/, '')] ?? [404, 'not found'];
  if (answer === 'nothing') return;
  reply.writeHead(answer[0], { 'content-type': 'application/json' });
  reply.end(typeof answer[1] === 'string' ? answer[1] : JSON.stringify(answer[1]));
}).listen(0, '127.0.0.1');
await once(stranger, 'listening');
const client = createClient(
  httpTransport(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`, quickFetch as never),
);
afterAll(async () => {
  stranger.closeAllConnections();
  stranger.close();
  await once(stranger, 'close');
});

const soon = () => AbortSignal.timeout(2_000);
const inquiry: Inquiry = { direction: 'lightning-arkade', side: 'source', amount: 50_000n, token: null };
const price = {
  exchange_rate: '1',
  network_fee: 0,
  gasless_network_fee: 0,
  protocol_fee: 125,
  protocol_fee_rate: 0.0025,
  min_amount: 1_000,
  max_amount: 1_000_000,
  source_amount: '50000',
  target_amount: '50000',
  net_source_amount: '50000',
  net_target_amount: '49875',
};
const pair = {
  source: 'Lightning',
  target: 'Arkade',
  min_sats: 1_000,
  max_sats: 1_000_000,
  fee_percentage: 0.0025,
  network_fee_sats: 0,
};
const no = (error: string, status = 400) => [status, { error }] as const;
const none = { is: 'none', least: null, most: null, detail: null };
const limits = { least: 1_000n, most: 1_000_000n };
const offer = { is: 'offer', source: 50_000n, target: 49_875n, costs: [{ part: 'service', sats: 125n }], ...limits };

const cases: readonly { name: string; says: Says; is: object }[] = [
  { name: 'a price is shown with the parts that it proves', says: { '/quote': [200, price] }, is: offer },
  {
    name: 'parts that do not add up to the difference are not shown',
    says: { '/quote': [200, { ...price, network_fee: 7 }] },
    is: { ...offer, costs: [] },
  },
  {
    name: 'an answer to another amount is none',
    says: { '/quote': [200, { ...price, net_source_amount: '60000', net_target_amount: '59850' }] },
    is: { ...none, why: 'unreadable' },
  },
  {
    name: 'more than was given arrives nowhere',
    says: { '/quote': [200, { ...price, net_target_amount: '50001' }] },
    is: { ...none, why: 'unreadable' },
  },
  {
    name: 'an amount without end is not read',
    says: { '/quote': [200, { ...price, net_target_amount: '9'.repeat(5_000) }] },
    is: { ...none, why: 'unreadable' },
  },
  {
    name: 'a price without its limits is none',
    says: { '/quote': [200, { net_source_amount: '50000', net_target_amount: '49875' }] },
    is: { ...none, why: 'unreadable' },
  },
  {
    name: 'less than the least is said with the limits',
    says: { '/quote': [200, { ...price, min_amount: 60_000 }] },
    is: { ...none, why: 'below-minimum', least: 60_000n, most: 1_000_000n },
  },
  {
    name: 'more than the most is said with the limits',
    says: { '/quote': [200, { ...price, max_amount: 40_000 }] },
    is: { ...none, why: 'above-maximum', least: 1_000n, most: 40_000n },
  },
  {
    name: 'a refused quote is explained by the limits of the pair',
    says: { '/quote': no('too little'), '/swap-pairs': [200, { pairs: [{ ...pair, min_sats: 50_001 }] }] },
    is: { ...none, why: 'below-minimum', least: 50_001n, most: 1_000_000n },
  },
  {
    name: 'what its pairs do not explain is said in its own words',
    says: { '/quote': no('Not today.'), '/swap-pairs': [200, { pairs: [pair] }] },
    is: { ...none, why: 'declined', ...limits, detail: 'Not today.' },
  },
  {
    name: 'a pair among networks that nobody here knows is missing',
    says: { '/quote': no('no'), '/swap-pairs': [200, { pairs: [{ ...pair, source: 'Elsewhere' }] }] },
    is: { ...none, why: 'pair-missing' },
  },
  {
    name: 'a provider that lists nothing while it is not well does not swap this way',
    says: {
      '/quote': no('paused', 503),
      '/swap-pairs': [200, { pairs: [] }],
      '/status': [503, { swaps_paused: true }],
    },
    is: { ...none, why: 'pair-missing' },
  },
  {
    name: 'a healthy provider that pauses is paused',
    says: {
      '/quote': no('paused', 503),
      '/swap-pairs': [200, { pairs: [] }],
      '/status': [200, { healthy: true, swaps_paused: true }],
    },
    is: { ...none, why: 'paused' },
  },
  {
    name: 'a page of somebody else is no provider',
    says: { '/quote': [200, '<html>'] },
    is: { ...none, why: 'unreadable' },
  },
  { name: 'an error of a server is no answer', says: { '/quote': [500, {}] }, is: { ...none, why: 'away' } },
  {
    name: 'more than a price can be is not read to its end',
    says: { '/quote': [200, { ...price, more: 'x'.repeat(200_000) }] },
    is: { ...none, why: 'away' },
  },
];

test.each(cases)('$name', async ({ says: now, is }) => {
  says = now;
  expect(await offerOf(client, inquiry, soon())).toEqual(is);
});

test('who is silent is away once the time is up', async () => {
  says = { '/quote': 'nothing', '/swap-pairs': [200, { pairs: [pair] }] };
  expect(await offerOf(client, inquiry, AbortSignal.timeout(50))).toEqual({ ...none, why: 'away' });
});

test('tokens are worth their bitcoin: another token at the other end is another pair', async () => {
  const address = asEvmAddress(new Uint8Array(20).fill(7));
  const onPolygon: Inquiry = {
    direction: 'arkade-evm',
    side: 'source',
    amount: 50_000n,
    token: { chain: 'evm:137', pegged: { address, decimals: 18 } },
  };
  const arrives = { ...price, gasless_network_fee: 300, net_target_amount: '495750000000000' };
  says = { '/quote': [200, arrives] };
  const pegged = await offerOf(client, onPolygon, soon());
  says = { '/quote': [200, { ...arrives, exchange_rate: '60000' }] };
  expect([pegged, await offerOf(client, onPolygon, soon())]).toEqual([
    {
      is: 'offer',
      source: 50_000n,
      target: 495_750_000_000_000n,
      costs: [
        { part: 'service', sats: 125n },
        { part: 'gasless', sats: 300n },
      ],
      ...limits,
    },
    { ...none, why: 'pair-missing' },
  ]);
});

const tag = [200, { tag: '1', commit_hash: 'unknown' }] as const;
test.each<{ name: string; says: Says; fault: string | null }>([
  { name: 'a provider', says: { '/version': tag, '/swap-pairs': [200, { pairs: [pair] }] }, fault: null },
  { name: 'nothing there', says: { '/version': 'nothing', '/swap-pairs': 'nothing' }, fault: 'away' },
  { name: 'a web page', says: { '/version': [200, '<html>'], '/swap-pairs': [200, '<html>'] }, fault: 'unreadable' },
  { name: 'a server of something else', says: {}, fault: 'unreadable' },
  {
    name: 'a node without networks',
    says: { '/version': tag, '/swap-pairs': [200, { pairs: [] }] },
    fault: 'nothing-offered',
  },
  {
    name: 'a node that pauses',
    says: {
      '/version': tag,
      '/swap-pairs': [200, { pairs: [] }],
      '/status': [200, { healthy: true, swaps_paused: true }],
    },
    fault: null,
  },
])('an address is looked at before it is kept: $name', async ({ says: now, fault }) => {
  says = now;
  expect(await faultOf(client, AbortSignal.timeout(500))).toBe(fault);
});
