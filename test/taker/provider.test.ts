import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { patientFetch } from '../../engine/adapters/provider/fetch.ts';
import { createClient, httpTransport } from '../../engine/contract/client.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import { createProvider } from '../../engine/taker/provider.ts';
import { listen, type ApiServer } from '../../engine/api/server.ts';
import { createDispatch } from '../../engine/api/dispatch.ts';
import { seedOf, startNodeOn } from '../support/node.ts';
import { startPair, takerSeed, type Pair } from './pair.ts';

/* The provider's port over HTTP: first against a node, then against servers that answer whatever they like. */

let pair: Pair;
let server: ApiServer;
const keys = createKeys(seedOf(takerSeed), 'regtest');
const overHttp = (url: string): ProviderPort =>
  createProvider(createClient(httpTransport(url, patientFetch)), keys.userXpub);

beforeAll(async () => {
  pair = await startPair();
  const log = { error: () => undefined };
  const dispatch = createDispatch({ service: () => pair.provider.service, openapi: null, log });
  server = await listen({ dispatch, service: () => pair.provider.service, ownerToken: 'f'.repeat(64), port: 0, log });
  for (const name of ['quote', 'create', 'find', 'recover', 'status', 'cosign'] as const) {
    const port = overHttp(server.url);
    Object.assign(pair.tampered, {
      [name]: (...args: never[]) => (port[name] as (...given: never[]) => unknown)(...args),
    });
  }
});

afterAll(async () => {
  await server.stop();
  await pair.stop();
});

test('over HTTP both directions end well, a refund included', async () => {
  const claimed = await pair.fromLightning(50_000n);
  pair.world.pay((await pair.listed(claimed)).invoice ?? '');
  const { bolt11, hash } = pair.world.invoice(50_000n, { hold: true });
  const refunded = await pair.toLightning(bolt11, 50_000n);
  const { address, amount_sats, provider_swap_id } = await pair.listed(refunded);
  pair.world.faucet(address ?? '', BigInt(amount_sats));
  await pair.provider.until(provider_swap_id ?? '', 'paying');
  pair.world.lightning.release(toHex(hash), 'fails');
  await Promise.all([pair.taker.until(claimed, 'claimed'), pair.taker.until(refunded, 'done')]);
  expect([(await pair.listed(claimed)).status, (await pair.listed(refunded)).status]).toEqual([
    'serverredeemed',
    'clientrefunded',
  ]);
});

test('a provider that pauses says why, and one without the swap says nothing of it', async () => {
  await pair.provider.service.owner.pause('for the night');
  const created = await pair.taker.taker.create({
    direction: 'lightning-arkade',
    amount: sats(50_000),
    invoice: null,
    provider: '',
  });
  await pair.provider.service.owner.resume();
  expect([created, await overHttp(server.url).status('00000000-0000-4000-8000-000000000000')]).toEqual([
    { refusal: 'unavailable', sentence: 'New swaps are paused: for the night' },
    null,
  ]);
});

async function answering(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ port: ProviderPort; stop(): Promise<void> }> {
  const strange: Server = createServer((_, reply) => void reply.writeHead(status, headers).end(body)).listen(
    0,
    '127.0.0.1',
  );
  await once(strange, 'listening');
  return {
    port: overHttp(`http://127.0.0.1:${(strange.address() as AddressInfo).port}`),
    stop: async () => void (await once(strange.close(), 'close')),
  };
}

test.each([
  { name: 'a page of a proxy', status: 502, body: '<html>bad gateway</html>' },
  { name: 'too many requests', status: 429, body: '{"error":"slow down"}' },
  { name: 'a record without a status', status: 200, body: '{"id":"x"}' },
  { name: 'a status that nobody knows', status: 200, body: '{"status":"paid, trust me"}' },
  { name: 'an answer without end', status: 200, body: `{"status":"${'x'.repeat(3_000_000)}"}` },
  { name: 'another address', status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } },
])('$name is no answer: unknown, and asked again', async ({ status, body, headers }) => {
  const { port, stop } = await answering(status, body, headers);
  const failure = await port.status('x').catch((cause: unknown) => cause);
  await stop();
  expect(failure).toMatchObject({ name: 'PortFailure', retry: 'ask-first' });
});

test('a price of more digits than there is money is no price', async () => {
  const body = JSON.stringify({ net_source_amount: '9'.repeat(41), net_target_amount: '1' });
  const { port, stop } = await answering(200, body);
  const token = { chain: 'evm:137', wanted: { address: asEvmAddress(new Uint8Array(20)) } } as const;
  const prices = [
    port.quote('lightning-arkade', { side: 'source', amount: sats(1) }),
    port.quoteOnEvm('arkade-evm', token, { side: 'source', amount: 1n }),
  ].map((price: Promise<unknown>) => price.catch((cause: unknown) => cause));
  const answers = await Promise.all(prices);
  await stop();
  const unclear = { name: 'PortFailure', code: 'provider-unclear' };
  expect(answers).toMatchObject([unclear, unclear]);
});

test('what a stranger says is shown as one tame line', async () => {
  const { port, stop } = await answering(403, JSON.stringify({ error: `No.\n\u001b[31m${'very '.repeat(200)}` }));
  const refusal = await port.cosign('x', { arkTx: new Uint8Array(1), checkpoints: [] });
  await stop();
  if (!isRefusal(refusal)) throw new Error('it was signed');
  expect([/^[\x20-\x7e]+$/.test(refusal.sentence), refusal.sentence.length]).toEqual([true, 303]);
});

test('fault 143: a provider that is not reached was told nothing, and of one that breaks off nobody knows', async () => {
  const breaking = createServer((_, reply) => reply.destroy());
  breaking.listen(0, '127.0.0.1');
  await once(breaking, 'listening');
  const url = `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`;
  const retry = () =>
    overHttp(url)
      .status('a-swap')
      .catch((cause: { readonly retry: string }) => cause.retry);
  const broken = await retry();
  breaking.close();
  await once(breaking, 'close');
  expect([broken, await retry()]).toEqual(['ask-first', 'safe']);
});

test('a node without networks says what is missing before it asks any provider', async () => {
  const alone = await startNodeOn(pair.world, `${pair.taker.databaseFile}-alone`, {
    seed: 9,
    without: ['arkade', 'lightning'],
  });
  const created = await alone.taker.create({
    direction: 'lightning-arkade',
    amount: sats(50_000),
    invoice: null,
    provider: '',
  });
  await alone.stop();
  expect(created).toMatchObject({
    refusal: 'unavailable',
    sentence: expect.stringContaining('needs an Arkade operator'),
  });
});
