import { afterEach, expect, it } from 'vitest';
import { httpTransport, createClient, type Fetch } from '../../engine/contract/client.ts';
import { proveNode } from '../../engine/contract/node-proof.ts';
import type { ServerOptions } from '../../engine/api/server.ts';
import { createHmac } from 'node:crypto';
import { ownerToken, raw, request, serve } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function serving(options: Partial<ServerOptions> = {}) {
  const { server } = await serve(options);
  stops.push(() => server.stop());
  return server;
}

const nonce = '5a'.repeat(32);

async function ask(port: number, query: Readonly<Record<string, string>>) {
  const line = `GET /proof?${new URLSearchParams(query).toString()}`;
  const { status, body } = await raw(port, request(line, { host: `127.0.0.1:${port}` }));
  return [status, JSON.parse(body) as unknown];
}

it('fault 242: the node shows that it has the token, for each origin that it is called by', async () => {
  const { port } = await serving({ hostnames: ['swap.example.org'], origins: ['https://page.example'] });
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'https://swap.example.org'];
  for (const origin of [...origins, 'https://page.example'])
    expect(await ask(port, { nonce, origin })).toEqual([
      200,
      { proof: createHmac('sha256', ownerToken).update(`sluice ${nonce} ${origin}`).digest('hex') },
    ]);
});

it('fault 242: and for no other: what it answers here proves nothing at another port or name', async () => {
  const { port } = await serving();
  const error = 'origin is not an address of this node: send one by which its owner calls it.';
  for (const origin of [`http://127.0.0.1:${port + 1}`, 'http://127.0.0.1', 'https://evil.example'])
    expect(await ask(port, { nonce, origin })).toEqual([403, { error }]);
  const own = `http://127.0.0.1:${port}`;
  for (const wrong of ['', 'ab', 'AB'.repeat(32), 'ab'.repeat(33)])
    expect((await ask(port, { nonce: wrong, origin: own }))[0]).toBe(400);
});

it('fault 242: whoever uses up requests and connections keeps no owner from asking for it', async () => {
  const { port } = await serving({ flood: { burst: 1, perSecond: 0.001, socketsPerClient: 0 } });
  const { status } = await raw(port, request('GET /health', { host: `127.0.0.1:${port}` }));
  const origin = `http://127.0.0.1:${port}`;
  expect([status, (await ask(port, { nonce, origin }))[0]]).toEqual([429, 200]);
});

it('fault 242: a node that starts answers it too', async () => {
  const { port } = await serving({ service: () => null });
  expect((await ask(port, { nonce, origin: `http://127.0.0.1:${port}` }))[0]).toBe(200);
});

it('fault 242: who answers without the token is told from the node, whatever the nonce', async () => {
  const { url } = await serving();
  const node = createClient(httpTransport(url, fetch as Fetch));
  await proveNode(node, ownerToken, { nonce, origin: url });
  for (const token of ['e'.repeat(64), ownerToken.slice(1), ''])
    await expect(proveNode(node, token, { nonce, origin: url })).rejects.toMatchObject({ status: 401 });
});
