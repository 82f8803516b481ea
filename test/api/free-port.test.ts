import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { listenAtFour } from '../../engine/api/loopback.ts';

const server = createServer((_, reply) => void reply.end('here'));
afterEach(() => server.close().closeAllConnections());

/** A host whose free port, as the system gives it, is this one. */
function given(first: number): FastifyInstance {
  const listen = () => new Promise<void>((resolve) => server.listen(first, '127.0.0.1', resolve));
  return { server, listen } as unknown as FastifyInstance;
}

test('a free port that some clients take for another one is not kept, and one that was asked for is', async () => {
  const [misread, fine] = [29_069, 29_070];
  const port = await listenAtFour(given(misread), 0);
  expect([String(port).includes('9069'), (server.address() as AddressInfo).port]).toEqual([false, port]);
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('here');
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  expect(await listenAtFour(given(fine), 0)).toBe(fine);
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  expect(await listenAtFour(given(misread), misread)).toBe(misread);
});
