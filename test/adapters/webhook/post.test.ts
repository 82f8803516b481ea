import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postToStranger } from '../../../engine/adapters/webhook/post.ts';

const calls: unknown[] = [];
let status = 200;
const server = createServer((request, reply) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => (text += part));
  request.on('end', () => {
    calls.push([request.method, request.url, request.headers['content-type'], text]);
    reply.writeHead(status, { location: '/elsewhere' });
    // Without an end: nothing of it is waited for.
    reply.write('x'.repeat(1_000));
  });
});
let origin: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close().closeAllConnections());

const post = (url: string, mayAsk = (_: string) => false) =>
  postToStranger(new URL(url), '{"a":1}', { mayAsk, signal: AbortSignal.timeout(3_000) });

test('it is posted as JSON, a redirect is not followed, and the status says whether to try again', async () => {
  const outcomes: string[] = [];
  for (status of [200, 201, 302, 404, 410, 408, 429, 500, 503])
    outcomes.push(await post(`${origin}/told`, (one) => one === origin));
  expect(outcomes.join()).toBe('taken,taken,never,never,never,later,later,later,later');
  expect(new Set(calls.map((call) => JSON.stringify(call)))).toEqual(
    new Set([JSON.stringify(['POST', '/told', 'application/json', '{"a":1}'])]),
  );
});

test('nothing of this machine or of its network is called, by whatever name', async () => {
  const before = calls.length;
  const { port } = new URL(origin);
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '0.0.0.0'];
  const all = [...hosts.map((host) => `https://${host}:${port}/`), origin, 'https://user:word@example.com/'];
  expect(await Promise.all(all.map((url) => post(url)))).toEqual(all.map(() => 'never'));
  expect(calls.length).toBe(before);
});

test('plain http is not for what is told to strangers, to an onion service neither', async () => {
  expect(await post(`http://${'a'.repeat(56)}.onion/`)).toBe('never');
});
