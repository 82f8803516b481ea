import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDispatch } from '../../engine/api/dispatch.ts';
import { listenForMetrics, type MetricsListener } from '../../engine/api/metrics-server.ts';
import { parseExposition } from '../support/exposition.ts';
import { memoryService, type MemoryService } from './memory-service.ts';
import { ownerToken, raw, request, serve, type RawReply, type Serving } from './serve.ts';

const log = { error: () => undefined };

describe('at the address of the API', () => {
  let serving: Serving;
  beforeEach(async () => {
    serving = await serve();
  });
  afterEach(() => serving.server.stop());

  const get = (path: string, headers: Record<string, string> = {}): Promise<RawReply> =>
    raw(serving.server.port, request(`GET ${path}`, { host: `127.0.0.1:${serving.server.port}`, ...headers }));

  test('live and ready are answered to anybody, and ready says no more than no', async () => {
    expect([(await get('/health')).body, (await get('/health/live')).body]).toEqual(['"ok"', '{"live":true}']);
    const ready = await get('/health/ready');
    expect([ready.status, ready.body]).toEqual([200, '{"ready":true}']);
    void serving.service.owner.resume(); // makes it unhealthy
    const not = await get('/health/ready');
    expect([not.status, not.body]).toEqual([503, '{"ready":false}']);
  });

  test('metrics are the owner’s', async () => {
    const [stranger, owner] = [await get('/metrics'), await get('/metrics', { authorization: `Bearer ${ownerToken}` })];
    expect([stranger.status, owner.status, owner.headers['content-type']]).toEqual([
      401,
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(parseExposition(owner.body)).toEqual({
      up: { help: 'Whether it is there', type: 'gauge', samples: [{ labels: {}, value: 1 }] },
    });
  });

  test('the test of the alerts is the owner’s too', async () => {
    const post = (headers: Record<string, string>) =>
      raw(
        serving.server.port,
        request(
          'POST /owner/alerts/test',
          { host: `127.0.0.1:${serving.server.port}`, 'content-type': 'application/json', ...headers },
          '{}',
        ),
      );
    expect([
      (await post({})).status,
      JSON.parse((await post({ authorization: `Bearer ${ownerToken}` })).body) as unknown,
    ]).toEqual([401, { results: [] }]);
  });
});

describe('at a listener of its own', () => {
  let listener: MetricsListener;
  let port: number;
  let service: MemoryService | null;
  beforeEach(async () => {
    service = memoryService();
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    ({ port } = free.address() as AddressInfo);
    await new Promise((resolve) => free.close(resolve));
    const dispatch = createDispatch({ service: () => service, openapi: null, log });
    listener = await listenForMetrics({ host: '127.0.0.1', port, dispatch });
  });
  afterEach(() => listener.stop());

  const get = (line: string, host = `127.0.0.1:${port}`, headers: Record<string, string> = {}): Promise<RawReply> =>
    raw(port, request(line, { host, ...headers }));

  test('a scraper needs no token, by an address or by the short name of a container', async () => {
    const replies = [
      await get('GET /metrics'),
      await get('GET /metrics', 'sluice:9733'),
      await get('GET /metrics?x=1', '[::1]:9733'),
      await get('GET /health/live'),
      await get('GET /health/ready'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Object.keys(parseExposition(replies[0]?.body ?? ''))).toEqual(['up']);
  });

  test('nothing else is there, and no page of a browser is let in', async () => {
    const authorization = `Bearer ${ownerToken}`;
    expect([
      (await get('GET /owner/status', undefined, { authorization })).status,
      (await get('GET /status')).status,
      (await get('POST /metrics')).status,
      (await get('GET /metrics', 'evil.example')).status,
      (await get('GET /metrics', `127.0.0.1.evil.example:${port}`)).status,
      (await get('GET /metrics', undefined, { origin: 'http://evil.example' })).status,
    ]).toEqual([404, 404, 405, 403, 403, 403]);
  });

  test('while the node starts it lives and is not ready', async () => {
    service = null;
    const replies = [await get('GET /health/live'), await get('GET /health/ready'), await get('GET /metrics')];
    expect(replies.map(({ status, body }) => [status, body.slice(0, 30)])).toEqual([
      [200, '{"live":true}'],
      [503, '{"ready":false}'],
      [503, '{"error":"The node is starting'],
    ]);
  });
});
