import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJsonPrice } from '../../../engine/adapters/prices/json-price.ts';

const answers: Readonly<Record<string, [number, string]>> = {
  '/plain': [200, '{"bitcoin":{"usd":97123.5}}'],
  '/text': [200, '{"data":[{"price":"97123.5"}]}'],
  '/zero': [200, '{"bitcoin":{"usd":0}}'],
  '/words': [200, '{"bitcoin":{"usd":"many"}}'],
  '/page': [200, '<html></html>'],
  '/away': [503, '{"bitcoin":{"usd":1}}'],
  '/long': [200, JSON.stringify({ bitcoin: { usd: 1, more: 'x'.repeat(300_000) } })],
  '/inherited': [200, '{}'],
};
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, reply) => {
    const [status, body] = answers[request.url ?? ''] ?? [404, ''];
    reply.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const priceAt = (place: string, path = 'bitcoin.usd') => createJsonPrice({ url: `${url}${place}`, path })();

test('the number at its path is the price, also where it is written as text', async () => {
  expect([await priceAt('/plain'), await priceAt('/text', 'data.0.price')]).toEqual([97_123.5, 97_123.5]);
});

test.each([
  ['/zero', 'bitcoin.usd', 'it has no price at bitcoin.usd'],
  ['/words', 'bitcoin.usd', 'it has no price at bitcoin.usd'],
  ['/plain', 'bitcoin.eur', 'it has no price at bitcoin.eur'],
  ['/inherited', 'constructor.length', 'it has no price at constructor.length'],
  ['/page', 'bitcoin.usd', 'it answered no JSON'],
  ['/away', 'bitcoin.usd', 'it answered 503'],
  ['/long', 'bitcoin.usd', 'it answered more than'],
])('what is no price is none: %s at %s', async (place, path, words) => {
  await expect(priceAt(place, path)).rejects.toThrow(words);
});
