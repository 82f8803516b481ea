import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bech32 } from '@scure/base';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { isPrivate } from '../../../engine/adapters/lnurl/private.ts';
import { lnurlResolver } from '../../../engine/adapters/lnurl/resolver.ts';
import { leaveThrough } from '../../../engine/adapters/socks/outgoing.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { bytesField, descriptionField, hashField, secretField, writeInvoice } from '../lnd/bolt11-writer.ts';

const metadata = JSON.stringify([
  ['text/plain', 'tea for one'],
  ['text/identifier', 'alice@example.com'],
]);
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly location?: string;
  readonly hang?: boolean;
}

interface Payee {
  readonly host: string;
  readonly requests: string[];
}

/** A payee on this machine; `answer` replaces what a proper one would say to a path. */
async function payee(answer: (url: URL, host: string) => Reply | null = () => null): Promise<Payee> {
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    const host = request.headers.host ?? '';
    const url = new URL(request.url ?? '', `http://${host}`);
    requests.push(`${url.pathname}${url.search}`);
    const { status = 200, json, text, location, hang } = answer(url, host) ?? proper(url, host);
    if (hang !== true)
      reply.writeHead(status, location === undefined ? {} : { location }).end(text ?? JSON.stringify(json));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function details(host: string, changed: object = {}): Reply {
  return {
    json: {
      tag: 'payRequest',
      callback: `http://${host}/pay?session=5`,
      minSendable: 1_000_000,
      maxSendable: 100_000_500,
      metadata,
      ...changed,
    },
  };
}

function described(text = metadata) {
  return bytesField(23, Uint8Array.from(createHash('sha256').update(text).digest()));
}

function invoiceOver(msat: string | number, field = described()): string {
  return writeInvoice(`lnbcrt${Number(msat) / 100}n`, 1_800_000_000, [hashField, secretField, field]);
}

function proper(url: URL, host: string): Reply {
  if (url.pathname !== '/pay') return details(host);
  return { json: { pr: invoiceOver(url.searchParams.get('amount') ?? ''), routes: [] } };
}

function lnurl(url: string): string {
  return bech32.encode('lnurl', bech32.toWords(new TextEncoder().encode(url)), false);
}

const local = lnurlResolver({
  decode: decodeInvoice,
  mayAsk: (origin) => origin.startsWith('http://127.0.0.1:'),
  limit: 2_000,
});
const strict = lnurlResolver({ decode: decodeInvoice, limit: 500 });

async function answerOf(host: string, amount = 50_000, resolver = local): Promise<Refusal | string> {
  return resolver.resolve({ lightning_address: `alice@${host}` }, sats(amount));
}

describe('a payee named by a place', () => {
  it('is asked for an invoice over the amount, whichever way the place is written', async () => {
    const { host, requests } = await payee();
    const base = `http://${host}/.well-known/lnurlp/alice`;
    const targets = [
      { lightning_address: `Alice@${host}` },
      { lnurl: lnurl(base) },
      { lnurl: `lightning:${lnurl(base).toUpperCase()}` },
      { lnurl: `lnurlp://${host}/.well-known/lnurlp/alice` },
    ];
    const invoices = await Promise.all(targets.map((target) => local.resolve(target, sats(50_000))));
    expect(invoices).toEqual(targets.map(() => invoiceOver(50_000_000)));
    expect(new Set(requests)).toEqual(new Set(['/.well-known/lnurlp/alice', '/pay?session=5&amount=50000000']));
  });

  it('takes only what it offers: the limits are whole satoshis inside its own', async () => {
    const { host, requests } = await payee();
    expect(await Promise.all([999, 1_000, 100_000, 100_001].map((amount) => answerOf(host, amount)))).toEqual([
      { refusal: 'invalid', sentence: expect.stringMatching(/takes 1000 to 100000 sats; 999/) },
      expect.stringMatching(/^lnbcrt/),
      expect.stringMatching(/^lnbcrt/),
      { refusal: 'invalid', sentence: expect.stringMatching(/takes 1000 to 100000 sats; 100001/) },
    ]);
    expect(requests.filter((path) => path.startsWith('/pay'))).toHaveLength(2);
  });

  it('is asked only whether it takes an amount where nothing is to be paid yet', async () => {
    const { host, requests } = await payee();
    const check = (amount: number) => local.check({ lightning_address: `alice@${host}` }, sats(amount));
    expect([await check(50_000), await check(100_001), requests.length]).toEqual([
      null,
      { refusal: 'invalid', sentence: expect.stringMatching(/takes 1000 to 100000 sats; 100001/) },
      2,
    ]);
    expect(requests.filter((path) => path.startsWith('/pay'))).toEqual([]);
  });

  it('says what a place takes in whole sats, and asks it for no invoice', async () => {
    const { host, requests } = await payee();
    const strange = await payee((url, at) =>
      url.pathname.startsWith('/.well-known') ? details(at, { minSendable: 1_500, maxSendable: 1_900 }) : null,
    );
    const range = (at: string) => local.range({ lightning_address: `alice@${at}` });
    expect([await range(host), requests.length, await range(strange.host)]).toEqual([
      { least: 1_000n, most: 100_000n },
      1,
      { refusal: 'invalid', sentence: expect.stringContaining('takes no whole number of sats') },
    ]);
  });

  it('that sends another invoice than asked for is refused', async () => {
    const wrong = [
      invoiceOver(50_001_000),
      writeInvoice('lnbcrt', 1_800_000_000, [hashField, secretField, described()]),
      invoiceOver(50_000_000, described('other')),
      invoiceOver(50_000_000, descriptionField),
      'lnbc1nonsense',
    ];
    const answers = await Promise.all(
      wrong.map(async (pr) =>
        answerOf((await payee((url) => (url.pathname === '/pay' ? { json: { pr } } : null))).host),
      ),
    );
    expect(answers).toEqual([
      { refusal: 'invalid', sentence: expect.stringMatching(/over 50000000 millisatoshis and sent one over 50001000/) },
      { refusal: 'invalid', sentence: expect.stringMatching(/sent one over any amount/) },
      { refusal: 'invalid', sentence: expect.stringMatching(/does not belong to the payment details/) },
      { refusal: 'invalid', sentence: expect.stringMatching(/does not belong to the payment details/) },
      { refusal: 'invalid', sentence: expect.stringMatching(/cannot be read/) },
    ]);
  });

  it('that refuses is quoted in one short line', async () => {
    const reason = `closed\r\nuntil\u0000 Monday ${'x'.repeat(500)}`;
    const [first, second] = await Promise.all([
      payee(() => ({ status: 404, json: { status: 'ERROR', reason } })).then(({ host }) => answerOf(host)),
      payee((url) => (url.pathname === '/pay' ? { json: { status: 'error', reason: 'no inbound' } } : null)).then(
        ({ host }) => answerOf(host),
      ),
    ]);
    expect([first, second]).toEqual([
      { refusal: 'invalid', sentence: expect.stringMatching(/refuses: closed until Monday x{1,120}\.$/) },
      { refusal: 'invalid', sentence: expect.stringMatching(/refuses: no inbound\.$/) },
    ]);
  });

  it('that answers nonsense, too much, nothing or never is not available', async () => {
    const replies: Reply[] = [
      { status: 500, text: '<html>' },
      { json: [1] },
      { json: { tag: 'withdrawRequest', callback: 'https://x.example', metadata } },
      { json: { tag: 'payRequest', callback: 'https://x.example', minSendable: 1, maxSendable: 9 } },
      { text: ' '.repeat(300_001) },
      { hang: true },
      { status: 302, location: '/.well-known/lnurlp/alice' },
    ];
    const answers = await Promise.all(replies.map(async (reply) => answerOf((await payee(() => reply)).host)));
    expect(answers).toEqual(
      [
        'answered 500',
        'else than an object',
        'Invalid pay service',
        'no metadata',
        'more than 300000 bytes',
        'too long',
        'redirects more than 3',
      ].map((why) => ({
        refusal: 'unavailable',
        sentence: expect.stringContaining(why),
      })),
    );
    expect(await answerOf('127.0.0.1:1')).toMatchObject({ refusal: 'unavailable' });
  });

  it('may move to another address of the public kind only', async () => {
    const { host } = await payee();
    const moved = await payee((url) => ({ status: 301, location: `http://${host}${url.pathname}` }));
    expect(await answerOf(moved.host)).toBe(invoiceOver(50_000_000));
    const away = await payee(() => ({ status: 302, location: 'http://example.com/' }));
    expect(await answerOf(away.host)).toMatchObject({
      refusal: 'invalid',
      sentence: expect.stringContaining('not https'),
    });
    const callback = await payee((url, self) =>
      url.pathname === '/pay' ? null : details(self, { callback: 'ftp://example.com/pay' }),
    );
    expect(await answerOf(callback.host)).toMatchObject({
      refusal: 'invalid',
      sentence: expect.stringContaining('not https'),
    });
  });
});

describe('an address chosen by a stranger', () => {
  it('never makes the node call itself or its neighbours', async () => {
    const { host, requests } = await payee();
    const port = host.split(':')[1];
    const answers = await Promise.all([
      answerOf(host, 50_000, strict),
      answerOf(`localhost:${port}`, 50_000, strict),
      ...[
        `http://${host}/`,
        `https://${host}/`,
        `https://localhost:${port}/`,
        'https://10.0.0.1/',
        'https://169.254.169.254/latest',
        'https://[::1]/',
        'https://[::ffff:7f00:1]/',
        'https://2130706433/',
        'https://user:pass@example.com/',
        'file:///etc/passwd',
      ].map((url) => strict.resolve({ lnurl: lnurl(url) }, sats(50_000))),
    ]);
    expect(answers).toEqual(
      answers.map(() => ({ refusal: 'invalid', sentence: expect.stringMatching(/cannot be asked/) })),
    );
    expect(requests).toEqual([]);
  });

  it('reaches the one place of this machine that it may ask, by no other name and through nobody else', async () => {
    const [local, other] = [await payee(), await payee()];
    const port = local.host.split(':')[1] ?? '';
    const narrow = lnurlResolver({
      decode: decodeInvoice,
      mayAsk: (origin) => origin === `http://${local.host}`,
      limit: 500,
    });
    const away = await payee((url) => ({ status: 302, location: `http://${other.host}${url.pathname}` }));
    const lured = lnurlResolver({
      decode: decodeInvoice,
      mayAsk: (origin) => origin === `http://${away.host}`,
      limit: 500,
    });
    expect([
      await answerOf(local.host, 50_000, narrow),
      await answerOf(other.host, 50_000, narrow),
      await answerOf(`localhost:${port}`, 50_000, narrow),
      await answerOf(`127.0.0.2:${port}`, 50_000, narrow),
      await answerOf(away.host, 50_000, lured),
    ]).toEqual([
      invoiceOver(50_000_000),
      ...[1, 2, 3, 4].map(() => ({ refusal: 'invalid', sentence: expect.stringMatching(/cannot be asked/) })),
    ]);
    expect(other.requests).toEqual([]);
  });

  it('counts every range of the registries of special-purpose addresses as private', () => {
    // IANA's registries for IPv4 and IPv6, what is globally reachable in them left out, and what was withdrawn:
    // site-local, IPv4-compatible and IPv4-translated addresses.
    const closed = [
      ['0.0.0.0', '0.255.255.255'],
      ['10.0.0.0', '10.255.255.255'],
      ['100.64.0.0', '100.127.255.255'],
      ['127.0.0.0', '127.255.255.255'],
      ['169.254.0.0', '169.254.255.255'],
      ['172.16.0.0', '172.31.255.255'],
      ['192.0.0.0', '192.0.0.255'],
      ['192.0.2.0', '192.0.2.255'],
      ['192.88.99.0', '192.88.99.255'],
      ['192.168.0.0', '192.168.255.255'],
      ['198.18.0.0', '198.19.255.255'],
      ['198.51.100.0', '198.51.100.255'],
      ['203.0.113.0', '203.0.113.255'],
      ['224.0.0.0', '239.255.255.255'],
      ['240.0.0.0', '255.255.255.255'],
      ['::', '::1'],
      ['::a00:1', '::ffff:ffff'],
      ['::ffff:0:0', '::ffff:255.255.255.255'],
      ['::ffff:0:10.0.0.1', '::ffff:0:ffff:ffff'],
      ['64:ff9b::', '64:ff9b::ffff:ffff'],
      ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
      ['100::', '100::ffff:ffff:ffff:ffff'],
      ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
      ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
      ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['2002:7f00:1::', '2002:c0a8:101::1'],
      ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['ff00::', 'ff02::1'],
      // Never handed out: nobody can say what a network at hand uses them for.
      ['1::1', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
      ['fe80::1%lo', 'name'],
    ].flat();
    expect(closed.filter((address) => !isPrivate(address))).toEqual([]);
  });

  it('and no address beside them', () => {
    const open = [
      '1.0.0.0',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.0.3.0',
      '192.88.98.255',
      '192.88.100.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '198.51.99.255',
      '198.51.101.0',
      '203.0.112.255',
      '203.0.114.0',
      '223.255.255.255',
      '2000::1',
      '2001:200::',
      '2001:db7:ffff::',
      '2001:db9::',
      '2003::',
      '2606:4700::1111',
      '2a00:1450::1',
      '3ffe:ffff::',
      '3fff:1000::',
    ];
    expect(open.filter(isPrivate)).toEqual([]);
  });

  it('that is malformed is refused without a call', async () => {
    const targets = [
      { lightning_address: 'alice' },
      { lightning_address: 'alice@' },
      { lightning_address: 'al ice@example.com' },
      { lightning_address: 'alice@example.com/../x' },
      { lightning_address: 'alice@example.com:99999' },
      { lnurl: 'lnurl1qqqq' },
      { lnurl: bech32.encode('lnbc', [1, 2, 3], false) },
      { lnurl: lnurl('not an address') },
      { lnurl: 'https://example.com' },
      { lnurl: 'x'.repeat(2_001) },
    ];
    const answers = await Promise.all(targets.map((target) => strict.resolve(target, sats(50_000))));
    expect(
      answers.every(
        (answer) =>
          isRefusal(answer) &&
          answer.refusal === 'invalid' &&
          /user@domain|typing errors|cannot be read|at most 2000/.test(answer.sentence),
      ),
    ).toBe(true);
  });
});

it('tells a stranger that a payee cannot be reached, and not through whom it was tried', async () => {
  await leaveThrough('socks5://127.0.0.1:1');
  try {
    expect(
      await lnurlResolver({ decode: decodeInvoice }).resolve({ lightning_address: 'alice@example.com' }, sats(10_000n)),
    ).toEqual({
      refusal: 'unavailable',
      sentence:
        'The payee at example.com did not answer as LNURL-pay asks (it failed with EHOSTUNREACH). Try again, or ' +
        'give an invoice.',
    });
  } finally {
    await leaveThrough(null);
  }
});
