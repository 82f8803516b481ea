import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodies } from '../contract/bodies.ts';
import { raw, request, serve, ownerToken, type Serving } from './serve.ts';

let serving: Serving;
let port: number;
let host: { host: string };

beforeAll(async () => {
  serving = await serve({ hostnames: ['swap.example.org'], origins: ['sluice://app'], bodyPatience: 300 });
  port = serving.server.port;
  host = { host: `127.0.0.1:${port}` };
});
afterAll(() => serving.server.stop());

const json = { 'content-type': 'application/json' };
const body = JSON.stringify(bodies.createLightningArkade);
const create = 'POST /swap/lightning/arkade';

async function statusOf(line: string, headers: Record<string, string>, text = ''): Promise<number> {
  const reply = await raw(port, request(line, headers, text));
  if (reply.status >= 400) expect(Object.keys(JSON.parse(reply.body) as object)).toEqual(['error']);
  return reply.status;
}

describe('the Host header', () => {
  it('must be a name of this machine with our port, or a configured one', async () => {
    const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, 'swap.example.org'];
    expect(await Promise.all(hosts.map((name) => statusOf('GET /health', { host: name })))).toEqual(
      hosts.map(() => 200),
    );
  });

  it('of a stranger is refused: a rebound name, another port, a trailing dot, a lookalike, none', async () => {
    const hosts = [
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `localhost.:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `0.0.0.0:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      'swap.example.org.',
      '',
    ];
    expect(await Promise.all(hosts.map((name) => statusOf('GET /health', { host: name })))).toEqual(
      hosts.map(() => 403),
    );
    expect((await raw(port, 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(403);
  });

  it('may come only once, and the target is a path', async () => {
    expect(
      (
        await raw(
          port,
          `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
        )
      ).status,
    ).toBe(400);
    expect(await statusOf(`GET http://127.0.0.1:${port}/health`, host)).toBe(400);
  });
});

describe('a browser page', () => {
  it('of our own address, the desktop or a configured name is served, and may read the answer', async () => {
    for (const origin of [
      `http://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      'sluice://app',
      'https://swap.example.org',
    ]) {
      const reply = await raw(port, request('GET /health', { ...host, origin, 'sec-fetch-site': 'cross-site' }));
      expect([reply.status, reply.headers['access-control-allow-origin'], reply.headers['vary']]).toEqual([
        200,
        origin,
        'Origin',
      ]);
    }
  });

  it('of a stranger is refused, without leave to read why', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
    ]) {
      const reply = await raw(port, request(create, { ...host, ...json, origin }, body));
      expect([reply.status, reply.headers['access-control-allow-origin'], reply.headers['vary']]).toEqual([
        403,
        undefined,
        'Origin',
      ]);
    }
    for (const site of ['cross-site', 'same-site'])
      expect(await statusOf('GET /health', { ...host, 'sec-fetch-site': site })).toBe(403);
    expect(await statusOf('GET /health', { ...host, 'sec-fetch-site': 'same-origin' })).toBe(200);
  });

  it('of a stranger is refused before its body is read', async () => {
    const reply = await raw(
      port,
      request(create, { ...host, ...json, origin: 'https://evil.example', 'content-length': '50000' }, '{"half'),
    );
    expect(reply.status).toBe(403);
  });

  it('is told by a preflight which headers and methods it may use, published client headers included', async () => {
    const headers =
      'content-type, x-lendaswap-client, x-satora-server-version, x-satora-evm-native-htlc-version, x-evil';
    const reply = await raw(
      port,
      request('OPTIONS /swap/lightning/arkade', {
        ...host,
        origin: 'sluice://app',
        'access-control-request-method': 'POST',
        'access-control-request-headers': headers,
      }),
    );
    expect([
      reply.status,
      reply.headers['access-control-allow-origin'],
      reply.headers['access-control-allow-methods'],
      reply.headers['access-control-allow-headers'],
    ]).toEqual([
      204,
      'sluice://app',
      'GET, POST, PATCH, DELETE',
      'content-type, x-lendaswap-client, x-satora-server-version, x-satora-evm-native-htlc-version',
    ]);
    expect(await statusOf('OPTIONS /swap/lightning/arkade', { ...host, origin: 'https://evil.example' })).toBe(403);
  });
});

describe('a body', () => {
  it('is JSON and nothing else', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'text/plain; application/json',
    ])
      expect(await statusOf(create, { ...host, 'content-type': type }, body)).toBe(415);
    expect(await statusOf(create, host, body)).toBe(415);
    expect(await statusOf(create, { ...host, 'content-type': 'application/json; charset=utf-8' }, body)).toBe(200);
    expect(await statusOf(create, { ...host, ...json }, '{"a":')).toBe(400);
    expect(await statusOf(create, { ...host, ...json }, '')).toBe(400);
  });

  it('of more than 64 KiB is refused, of more than 1 MiB where PSBTs travel', async () => {
    const big = JSON.stringify({ pad: 'x'.repeat(64 * 1024) });
    expect(await statusOf(create, { ...host, ...json }, big)).toBe(413);
    expect(await statusOf('POST /api/swap/arkade-evm/1/collab-refund', { ...host, ...json }, big)).toBe(404);
    expect(
      await statusOf(
        'POST /api/delegate/settle',
        { ...host, ...json },
        JSON.stringify({ pad: 'x'.repeat(1024 * 1024) }),
      ),
    ).toBe(413);
  });

  it('in chunks without a length has the same limit', async () => {
    const chunk = `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`;
    const reply = await raw(port, request(create, { ...host, ...json, 'transfer-encoding': 'chunked' }) + chunk);
    expect(reply.status).toBe(413);
  });

  it('that does not arrive in time is given up', async () => {
    const reply = await raw(port, request(create, { ...host, ...json, 'content-length': '5000' }, '{"slow'));
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      408,
      { error: 'The body did not arrive within 0.3 seconds: send it faster.' },
    ]);
  });

  it('that pollutes prototypes or nests without end does no harm', async () => {
    expect(
      await statusOf(create, { ...host, ...json }, '{"__proto__":{"user_id":"x"},"constructor":{"prototype":{}}}'),
    ).toBe(400);
    expect(await statusOf(create, { ...host, ...json }, '['.repeat(60_000))).toBe(400);
    expect(({} as { user_id?: string }).user_id).toBeUndefined();
  });
});

describe('routes', () => {
  it('for a pair that nobody swaps here answer which pair that is, and where the others are', async () => {
    const { body } = await raw(port, request('POST /swap/solana/arkade', { ...host, ...json }, '{}'));
    expect(JSON.parse(body)).toEqual({
      error: 'There is no swap from solana to arkade here: GET /swap-pairs lists what there is.',
    });
  });

  it('that do not exist answer 404, wrong methods 405 with what is allowed', async () => {
    expect(await statusOf('GET /nothing', host)).toBe(404);
    expect(await statusOf('GET /swap/lightning/nowhere/else', host)).toBe(404);
    const replies = await Promise.all(
      ['GET /swap/bulk-status', 'DELETE /swap/lightning/arkade', 'POST /tokens', 'PUT /owner/settings'].map((line) =>
        raw(port, request(line, host)),
      ),
    );
    expect(replies.map(({ status, headers }) => [status, headers['allow']])).toEqual([
      [405, 'POST'],
      [405, 'POST'],
      [405, 'GET'],
      [405, 'GET, PATCH'],
    ]);
  });

  it('answer malformed HTTP, undecodable paths and endless headers in the shape of every error', async () => {
    const replies = [
      await raw(port, 'what is this\r\n\r\n'),
      await raw(port, request('GET /swap/%E0%A4%A', host)),
      await raw(port, request('GET /health', { ...host, pad: 'x'.repeat(20_000) })),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 431]);
    for (const { body: text } of replies) expect(Object.keys(JSON.parse(text) as object)).toEqual(['error']);
  });

  it('keep serving a client that offers HTTP/2 with its request', async () => {
    expect(
      await statusOf('GET /health', {
        ...host,
        connection: 'Upgrade, HTTP2-Settings, close',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
      }),
    ).toBe(200);
  });
});

describe('the owner token', () => {
  const tokens: [string, Record<string, string>][] = [
    ['none', {}],
    ['another', { authorization: `Bearer ${'e'.repeat(64)}` }],
    ['a prefix', { authorization: `Bearer ${ownerToken.slice(0, 63)}` }],
    ['another scheme', { authorization: `Basic ${ownerToken}` }],
    ['an empty one', { authorization: 'Bearer ' }],
  ];
  it.each(tokens)('refused: %s', async (_, headers) => {
    const reply = await raw(port, request('GET /owner/status', { ...host, ...headers }));
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(reply.body).not.toContain('eeee');
  });

  it('opens every owner route, and no route of a sandbox that is not there', async () => {
    const authorization = `Bearer ${ownerToken}`;
    expect(await statusOf('GET /owner/status', { ...host, authorization })).toBe(200);
    expect(await statusOf('GET /sandbox', { ...host, authorization })).toBe(404);
    expect(await statusOf('POST /owner/pause', { ...host, ...json }, '{"reason":"x"}')).toBe(401);
  });
});

describe('a credential', () => {
  it('is no cookie and stands in no address: a cookie would go along with what other pages ask', async () => {
    const authorization = `Bearer ${ownerToken}`;
    const replies = await Promise.all(
      [
        request('GET /health', host),
        request('GET /owner/status', { ...host, authorization }),
        request('GET /owner/status', host),
        request('GET /owner/status', { ...host, cookie: `token=${ownerToken}` }),
        request(`GET /owner/status?token=${ownerToken}`, host),
      ].map((text) => raw(port, text)),
    );
    expect(replies.map(({ status, headers }) => [status, headers['set-cookie']])).toEqual([
      ...[
        [200, undefined],
        [200, undefined],
        [401, undefined],
        [401, undefined],
      ],
      [expect.toBeOneOf([400, 401]), undefined],
    ]);
    expect(replies.at(-1)?.body).not.toContain(ownerToken);
  });

  it('guesses of the owner token spend the allowance of whoever guesses, and not the owner’s', async () => {
    const other = await serve({ flood: { burst: 1, perSecond: 1 } });
    const at = { host: `127.0.0.1:${other.server.port}` };
    const guess = (digit: number) =>
      raw(
        other.server.port,
        request('GET /owner/status', { ...at, authorization: `Bearer ${String(digit % 10).repeat(64)}` }),
      );
    const statuses = (await Promise.all(Array.from({ length: 60 }, (_, i) => guess(i)))).map(({ status }) => status);
    const right = await raw(
      other.server.port,
      request('GET /owner/status', { ...at, authorization: `Bearer ${ownerToken}` }),
    );
    await other.server.stop();
    expect([new Set(statuses), right.status]).toEqual([new Set([401, 429]), 200]);
  });
});

describe('loopback', () => {
  it('is served at ::1 as well, with the same gate', async () => {
    const six = (name: string) => raw(port, request('GET /health', { host: name }), '::1');
    const replies = await Promise.all([six(`[::1]:${port}`), six(`evil.example:${port}`)]).catch(
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'EAFNOSUPPORT') return null;
        throw cause;
      },
    );
    if (replies !== null) expect(replies.map(({ status }) => status)).toEqual([200, 403]);
  });
});
