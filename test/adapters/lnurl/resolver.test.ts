import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bech32 } from '@scure/base';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { isPrivate } from '../../../engine/adapters/lnurl/private.ts';
import { lnurlResolver } from '../../../engine/adapters/lnurl/resolver.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { bytesField, descriptionField, hashField, secretField, writeInvoice } from '../lnd/bolt11-writer.ts';

const metadata = JSON.stringify([['text/plain', 'tea for one'], ['text/identifier', 'alice@example.com']]);
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
  readonly asked: string[];
}

/** A payee on this machine; `answer` replaces what a proper one would say to a path. */
async function payee(answer: (url: URL, host: string) => Reply | null = () => null): Promise<Payee> {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    const host = request.headers.host ?? '';
    const url = new URL(request.url ?? '', `http://${host}`);
    asked.push(`${url.pathname}${url.search}`);
    const { status = 200, json, text, location, hang } = answer(url, host) ?? proper(url, host);
    if (hang !== true) reply.writeHead(status, location === undefined ? {} : { location }).end(text ?? JSON.stringify(json));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function details(host: string, changed: object = {}): Reply {
  return { json: { tag: 'payRequest', callback: `http://${host}/pay?session=5`, minSendable: 1_000_000, maxSendable: 100_000_500, metadata, ...changed } };
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

const local = lnurlResolver({ decode: decodeInvoice, mayAsk: (origin) => origin.startsWith('http://127.0.0.1:'), limit: 500 });
const strict = lnurlResolver({ decode: decodeInvoice, limit: 500 });

async function told(host: string, amount = 50_000, resolver = local): Promise<Refusal | string> {
  return resolver.resolve({ lightning_address: `alice@${host}` }, sats(amount));
}

describe('a payee named by a place', () => {
  it('is asked for an invoice over the amount, whichever way the place is written', async () => {
    const { host, asked } = await payee();
    const base = `http://${host}/.well-known/lnurlp/alice`;
    const targets = [
      { lightning_address: `Alice@${host}` },
      { lnurl: lnurl(base) },
      { lnurl: `lightning:${lnurl(base).toUpperCase()}` },
      { lnurl: `lnurlp://${host}/.well-known/lnurlp/alice` },
    ];
    const invoices = await Promise.all(targets.map((target) => local.resolve(target, sats(50_000))));
    expect(invoices).toEqual(targets.map(() => invoiceOver(50_000_000)));
    expect(new Set(asked)).toEqual(new Set(['/.well-known/lnurlp/alice', '/pay?session=5&amount=50000000']));
  });

  it('takes only what it offers: the limits are whole satoshis inside its own', async () => {
    const { host, asked } = await payee();
    expect(await Promise.all([999, 1_000, 100_000, 100_001].map((amount) => told(host, amount)))).toEqual([
      { refusal: 'invalid', sentence: expect.stringMatching(/takes 1000 to 100000 sats; 999/) },
      expect.stringMatching(/^lnbcrt/),
      expect.stringMatching(/^lnbcrt/),
      { refusal: 'invalid', sentence: expect.stringMatching(/takes 1000 to 100000 sats; 100001/) },
    ]);
    expect(asked.filter((path) => path.startsWith('/pay'))).toHaveLength(2);
  });

  it('is asked only whether it takes an amount where nothing is to be paid yet', async () => {
    const { host, asked } = await payee();
    const check = (amount: number) => local.check({ lightning_address: `alice@${host}` }, sats(amount));
    expect([await check(50_000), await check(100_001), asked.length]).toEqual([null, { refusal: 'invalid', sentence: expect.stringMatching(/takes 1000 to 100000 sats; 100001/) }, 2]);
    expect(asked.filter((path) => path.startsWith('/pay'))).toEqual([]);
  });

  it('that sends another invoice than asked for is refused', async () => {
    const wrong = [invoiceOver(50_001_000), writeInvoice('lnbcrt', 1_800_000_000, [hashField, secretField, described()]), invoiceOver(50_000_000, described('other')), invoiceOver(50_000_000, descriptionField), 'lnbc1nonsense'];
    const answers = await Promise.all(wrong.map(async (pr) => told((await payee((url) => (url.pathname === '/pay' ? { json: { pr } } : null))).host)));
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
      payee(() => ({ status: 404, json: { status: 'ERROR', reason } })).then(({ host }) => told(host)),
      payee((url) => (url.pathname === '/pay' ? { json: { status: 'error', reason: 'no inbound' } } : null)).then(({ host }) => told(host)),
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
    const answers = await Promise.all(replies.map(async (reply) => told((await payee(() => reply)).host)));
    expect(answers).toEqual(
      ['answered 500', 'else than an object', 'Invalid pay service', 'no metadata', 'more than 300000 bytes', 'too long', 'redirects more than 3'].map((why) => ({
        refusal: 'unavailable',
        sentence: expect.stringContaining(why),
      })),
    );
    expect(await told('127.0.0.1:1')).toMatchObject({ refusal: 'unavailable' });
  });

  it('may move to another address of the public kind only', async () => {
    const { host } = await payee();
    const moved = await payee((url) => ({ status: 301, location: `http://${host}${url.pathname}` }));
    expect(await told(moved.host)).toBe(invoiceOver(50_000_000));
    const away = await payee(() => ({ status: 302, location: 'http://example.com/' }));
    expect(await told(away.host)).toMatchObject({ refusal: 'invalid', sentence: expect.stringContaining('not https') });
    const callback = await payee((url, self) => (url.pathname === '/pay' ? null : details(self, { callback: 'ftp://example.com/pay' })));
    expect(await told(callback.host)).toMatchObject({ refusal: 'invalid', sentence: expect.stringContaining('not https') });
  });
});

describe('an address chosen by a stranger', () => {
  it('never makes the node call itself or its neighbours', async () => {
    const { host, asked } = await payee();
    const port = host.split(':')[1];
    const answers = await Promise.all([
      told(host, 50_000, strict),
      told(`localhost:${port}`, 50_000, strict),
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
    expect(answers).toEqual(answers.map(() => ({ refusal: 'invalid', sentence: expect.stringMatching(/cannot be asked/) })));
    expect(asked).toEqual([]);
  });

  it('reaches the one place of this machine that it may ask, by no other name and through nobody else', async () => {
    const [known, other] = [await payee(), await payee()];
    const port = known.host.split(':')[1] ?? '';
    const narrow = lnurlResolver({ decode: decodeInvoice, mayAsk: (origin) => origin === `http://${known.host}`, limit: 500 });
    const away = await payee((url) => ({ status: 302, location: `http://${other.host}${url.pathname}` }));
    const lured = lnurlResolver({ decode: decodeInvoice, mayAsk: (origin) => origin === `http://${away.host}`, limit: 500 });
    expect([await told(known.host, 50_000, narrow), await told(other.host, 50_000, narrow), await told(`localhost:${port}`, 50_000, narrow), await told(`127.0.0.2:${port}`, 50_000, narrow), await told(away.host, 50_000, lured)]).toEqual([
      invoiceOver(50_000_000),
      ...[1, 2, 3, 4].map(() => ({ refusal: 'invalid', sentence: expect.stringMatching(/cannot be asked/) })),
    ]);
    expect(other.asked).toEqual([]);
  });

  it('counts every range that is not public as private, and no public one', () => {
    const closed = ['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.9.9.9', '169.254.1.1', '172.31.0.1', '192.168.1.1', '198.19.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:8.8.8.8', 'fc00::1', 'fdff::1', 'fe80::1', 'ff02::1', '64:ff9b::a00:1', '2002:a00:1::1', 'name'];
    const open = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '193.0.0.1', '2606:4700::1111'];
    expect([closed.filter((address) => !isPrivate(address)), open.filter(isPrivate)]).toEqual([[], []]);
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
    expect(answers.every((answer) => isRefusal(answer) && answer.refusal === 'invalid' && /user@domain|typing errors|cannot be read|at most 2000/.test(answer.sentence))).toBe(true);
  });
});
