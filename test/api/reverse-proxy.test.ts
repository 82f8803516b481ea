import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, peerOf } from '../../engine/api/client-of.ts';
import type { ServerOptions } from '../../engine/api/server.ts';
import { bodies } from '../contract/bodies.ts';
import { ownerToken, raw, request, serve } from './serve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** One read. */
const oneEach = { burst: 0.2, perSecond: 0.001 };

async function serving(options: Partial<ServerOptions>): Promise<number> {
  const { server } = await serve({ hostnames: ['swaps.example'], ...options });
  stops.push(() => server.stop());
  return server.port;
}

/** A proxy as operators write them: it keeps the public name and adds the address of its peer to X-Forwarded-For. */
async function proxyTo(port: number): Promise<(client: string, headers?: Record<string, string>) => Promise<number>> {
  const proxy: Server = createServer((incoming, outgoing) => {
    const client = String(incoming.headers['x-test-client']);
    const before = incoming.headers['x-forwarded-for'];
    const headers = {
      ...incoming.headers,
      host: 'swaps.example',
      'x-forwarded-for': before === undefined ? client : `${String(before)}, ${client}`,
      'x-forwarded-proto': 'https',
    };
    const passed = ask(
      { port, host: '127.0.0.1', method: incoming.method, path: incoming.url, headers, agent: false },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(outgoing);
      },
    );
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  stops.push(() => proxy.close());
  const { port: at } = proxy.address() as AddressInfo;
  return async (client, headers = {}) =>
    (await raw(at, request('GET /health', { host: 'swaps.example', 'x-test-client': client, ...headers }))).status;
}

describe('behind a reverse proxy on this machine', () => {
  it('every client has a limit of its own, whatever it writes into its headers', async () => {
    const get = await proxyTo(await serving({ flood: oneEach, trustLoopbackProxy: true }));
    const statuses = {
      alice: await get('203.0.113.1'),
      aliceAgain: await get('203.0.113.1'),
      aliceAsBob: await get('203.0.113.1', { 'x-forwarded-for': '203.0.113.2' }),
      aliceAsAChain: await get('203.0.113.1', { 'x-forwarded-for': '203.0.113.3, 127.0.0.1, 203.0.113.4' }),
      aliceByOtherHeaders: await get('203.0.113.1', { forwarded: 'for=203.0.113.5', 'x-real-ip': '203.0.113.6' }),
      bob: await get('203.0.113.2'),
      carol: await get('2001:db8:1:2::a'),
      carolFromHerNextAddress: await get('2001:db8:1:2:ffff::b'),
      dave: await get('2001:db8:1:3::a'),
    };
    expect(statuses).toEqual({
      alice: 200,
      aliceAgain: 429,
      aliceAsBob: 429,
      aliceAsAChain: 429,
      aliceByOtherHeaders: 429,
      bob: 200,
      carol: 200,
      carolFromHerNextAddress: 429,
      dave: 200,
    });
  });

  it("without the owner's word the header is nothing, and all of them are one client", async () => {
    const get = await proxyTo(await serving({ flood: oneEach }));
    expect([await get('203.0.113.1'), await get('203.0.113.2')]).toEqual([200, 429]);
  });

  it('answers to its public names and this machine alone, whatever X-Forwarded-Host says', async () => {
    const port = await serving({ flood: null, trustLoopbackProxy: true });
    const status = async (headers: Record<string, string>) => (await raw(port, request('GET /health', headers))).status;
    const hosts = [
      'swaps.example',
      'SWAPS.example',
      'swaps.example.',
      'swaps.example:443',
      'other.example',
      'swaps.example.evil.test',
      `localhost:${port}`,
    ];
    const statuses = await Promise.all(hosts.map((host) => status({ host })));
    expect([
      statuses,
      await status({ host: 'evil.test', 'x-forwarded-host': 'swaps.example' }),
      await status({ host: 'swaps.example', 'x-forwarded-host': 'evil.test' }),
    ]).toEqual([[200, 200, 403, 200, 403, 403, 200], 403, 200]);
  });

  it('pages of the public name may call the node, those of a name that only looks like it may not', async () => {
    const port = await serving({ flood: null });
    const from = async (origin: string) =>
      (await raw(port, request('GET /health', { host: 'swaps.example', origin }))).status;
    expect([
      await from('https://swaps.example'),
      await from('https://swaps.example.evil.test'),
      await from('https://evil.test'),
      await from('null'),
    ]).toEqual([200, 403, 403, 403]);
  });
});

describe('whose create it is', () => {
  it('fault 53: is told to the engine, which counts the open swaps of each client', async () => {
    const { server, service } = await serve({ hostnames: ['swaps.example'], trustLoopbackProxy: true });
    stops.push(() => server.stop());
    const create = (headers: Record<string, string>) =>
      raw(
        server.port,
        request(
          'POST /swap/arkade/lightning',
          { host: 'swaps.example', 'content-type': 'application/json', ...headers },
          JSON.stringify(bodies.createArkadeLightning),
        ),
      );
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.1' },
      { 'x-forwarded-for': '2001:db8:1:2:3::4' },
      {},
      { 'x-forwarded-for': '203.0.113.1', authorization: `Bearer ${ownerToken}` },
    ])
      await create(headers as Record<string, string>);
    expect(service.clients).toEqual(['203.0.113.1', '2001:db8:1:2::/64', '127.0.0.1', null]);
  });
});

describe('whose request it is', () => {
  const of = (remoteAddress: string, forwarded: string | undefined, trusted = true) =>
    clientOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as never, trusted);

  it('fault 51: all addresses of this machine are one client, however they are written', () => {
    const here = ['127.0.0.1', '127.255.3.9', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.8.8.8', '::ffff:7f00:2'];
    const peers = here.map((address) => of(address, undefined, false));
    expect([new Set(peers), of('127.0.0.1', '127.4.4.4'), of('::ffff:cb00:7109', undefined)]).toEqual([
      new Set(['127.0.0.1']),
      '127.0.0.1',
      '203.0.113.9',
    ]);
    expect(new Set(here.map((remoteAddress) => peerOf({ remoteAddress }, false)))).toEqual(new Set(['127.0.0.1']));
  });

  it('is read from the header only when a peer on this machine sent it, and only when it is an address', () => {
    expect([
      of('127.0.0.1', '203.0.113.9'),
      of('::ffff:127.0.0.1', '203.0.113.9'),
      of('::1', '10.0.0.1, ::ffff:203.0.113.9'),
      of('127.0.0.1', '[2001:DB8::1]'),
      of('192.0.2.1', '203.0.113.9'),
      of('127.0.0.1', '203.0.113.9', false),
      of('127.0.0.1', 'unknown'),
      of('127.0.0.1', '203.0.113.9,'),
      of('127.0.0.1', undefined),
    ]).toEqual([
      '203.0.113.9',
      '203.0.113.9',
      '203.0.113.9',
      '2001:db8:0:0::/64',
      '192.0.2.1',
      '127.0.0.1',
      '127.0.0.1',
      '127.0.0.1',
      '127.0.0.1',
    ]);
  });
});
