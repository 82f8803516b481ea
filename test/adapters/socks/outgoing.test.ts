import { once } from 'node:events';
import { createServer, request, type Agent, type RequestOptions, type Server } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forwardThroughProxy, leaveThrough, outgoingAgent } from '../../../engine/adapters/socks/outgoing.ts';
import { lnurlResolver } from '../../../engine/adapters/lnurl/resolver.ts';
import { decodeInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { sats } from '../../../engine/domain/money.ts';
import { makeCertificate } from '../../../engine/sandbox/wire/lnd/certificate.ts';
import { startSocksServer, type SocksServer } from '../../support/socks-server.ts';

let site: Server;
let port: number;
let calls: string[];
let proxy: SocksServer;

beforeEach(async () => {
  calls = [];
  site = createServer((request, reply) => {
    calls.push(String(request.headers.host));
    reply.end('{"hello":true}');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  port = (site.address() as AddressInfo).port;
  proxy = await startSocksServer({
    'operator.test:80': port,
    'node.test:10009': port,
    'payee.onion:80': port,
    '203.0.113.7:8080': port,
  });
});

afterEach(async () => {
  await leaveThrough(null);
  await proxy.stop();
  site.closeAllConnections();
  site.close();
});

/** What a request came to: its body, or the code of its failure. */
async function fetched(url: string): Promise<string> {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text();
  } catch (cause) {
    return `failed: ${codeOf(cause)}`;
  }
}

function codeOf(cause: unknown): string {
  for (let at = cause; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return String(cause);
}

function plainRequest(url: URL): Promise<string> {
  return new Promise((resolve) => {
    const agent = outgoingAgent(url);
    const sent = request(url, { ...(agent === undefined ? {} : { agent }) }, (reply) => {
      reply.setEncoding('utf8').on('data', resolve);
    });
    sent.on('error', (cause) => resolve(`failed: ${codeOf(cause)}`));
    sent.end();
  });
}

test('everything leaves through the proxy, names unresolved', async () => {
  await leaveThrough(proxy.url);
  const door = await forwardThroughProxy('node.test:10009');
  const [doorHost, doorPort] = String(door?.socket).split(':');
  const spoken = connect(Number(doorPort), doorHost);
  spoken.write('GET / HTTP/1.1\r\nhost: door\r\nconnection: close\r\n\r\n');
  const answer = String((await once(spoken, 'data'))[0]);
  expect([
    await fetched('http://operator.test/'),
    await fetched('http://203.0.113.7:8080/'),
    await plainRequest(new URL('http://operator.test/')),
    answer.split('\r\n')[0],
  ]).toEqual(['{"hello":true}', '{"hello":true}', '{"hello":true}', 'HTTP/1.1 200 OK']);
  expect([proxy.destinations, calls]).toEqual([
    ['node.test:10009', 'operator.test:80', '203.0.113.7:8080', 'operator.test:80'],
    ['door', 'operator.test', '203.0.113.7:8080', 'operator.test'],
  ]);
  await door?.stop();
});

test('TLS is spoken with the place itself, through the proxy', async () => {
  const { cert, key } = makeCertificate();
  const secure = createTlsServer({ cert, key }, (_, reply) => reply.end('{"hello":"tls"}')).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const behind = await startSocksServer({ 'core.test:8332': (secure.address() as AddressInfo).port });
  await leaveThrough(behind.url);
  const url = new URL('https://core.test:8332/');
  const ask = (options: RequestOptions & { ca?: string; servername?: string }) =>
    new Promise<string>((resolve) => {
      const sent = tlsRequest(url, { ...options, agent: outgoingAgent(url) as Agent }, (reply) =>
        reply.setEncoding('utf8').on('data', resolve),
      );
      sent.on('error', (cause) => resolve(`failed: ${codeOf(cause)}`));
      sent.end();
    });
  expect([
    await ask({ ca: cert, servername: 'localhost' }),
    await ask({ ca: cert }),
    await ask({}),
    await fetched(url.href),
    behind.destinations.length,
  ]).toEqual([
    '{"hello":"tls"}',
    'failed: ERR_TLS_CERT_ALTNAME_INVALID',
    'failed: DEPTH_ZERO_SELF_SIGNED_CERT',
    'failed: DEPTH_ZERO_SELF_SIGNED_CERT',
    4,
  ]);
  await behind.stop();
  secure.close();
});

test('a payee is asked through the proxy as well, and looked for nowhere else', async () => {
  await leaveThrough(proxy.url);
  const resolver = lnurlResolver({ decode: decodeInvoice, limit: 5_000 });
  const sentences = [
    await resolver.resolve({ lightning_address: 'alice@payee.onion' }, sats(1_000)),
    await resolver.resolve({ lightning_address: 'alice@nowhere.test' }, sats(1_000)),
  ];
  expect([proxy.destinations, calls, sentences]).toEqual([
    ['payee.onion:80', 'nowhere.test:443'],
    ['payee.onion'],
    [
      { refusal: 'unavailable', sentence: expect.stringContaining('it sent no metadata') },
      { refusal: 'unavailable', sentence: expect.stringMatching(/at nowhere\.test did not answer .*EHOSTUNREACH/) },
    ],
  ]);
});

test('with the proxy down nothing leaves directly', async () => {
  await leaveThrough(proxy.url);
  const door = await forwardThroughProxy(`localtest.invalid:${port}`);
  await proxy.stop();
  const spoken = connect(Number(door?.socket.split(':')[1]), '127.0.0.1');
  const closed = once(spoken, 'close');
  spoken.resume();
  spoken.write('GET / HTTP/1.1\r\nhost: door\r\n\r\n');
  await closed;
  // 0.0.0.0 reaches this machine without being a loopback address: a connection that went around the proxy would
  // arrive.
  const around = `http://0.0.0.0:${port}/`;
  expect([await fetched(around), await plainRequest(new URL(around)), calls]).toEqual([
    'failed: EHOSTUNREACH',
    'failed: EHOSTUNREACH',
    [],
  ]);
  await leaveThrough(null);
  expect([await fetched(around), calls]).toEqual(['{"hello":true}', [`0.0.0.0:${port}`]]);
  await door?.stop();
  proxy = await startSocksServer({});
});

test('what lives on this machine is reached without the proxy', async () => {
  await leaveThrough(proxy.url);
  expect([
    await fetched(`http://127.0.0.1:${port}/`),
    await fetched(`http://localhost:${port}/`),
    outgoingAgent(new URL('http://[::1]/')),
    await forwardThroughProxy('localhost:10009'),
    proxy.destinations,
  ]).toEqual(['{"hello":true}', '{"hello":true}', undefined, null, []]);
});
