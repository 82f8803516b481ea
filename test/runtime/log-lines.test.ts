import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLogLines, type LinesQuery } from '../../engine/runtime/log-lines.ts';
import { createRedact, redactFact } from '../../engine/runtime/redact.ts';
import { canary, search } from '../canary/needles.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const everything: LinesQuery = { swap: null, level: 'info', text: null, redacted: false, before: null, limit: 1_000 };
const id = '7f3a91c4-0000-4000-8000-00000000abcd';

function linesAt(most = 100, key = new Uint8Array(32)) {
  return createLogLines(silent, { most, wall: () => 1_760_000_000, redact: createRedact(key) });
}

describe('the lines that the owner may read', () => {
  test('are the newest first, of a swap, of a level and graver, and with a part of their text', () => {
    const { log, page } = linesAt();
    log.info({ swap: id, at: 'pending' }, 'swap moved');
    log.warn({ network: 'bitcoin', cause: 'Timed out' }, 'the network cannot be used');
    log.error({ job: id, cause: new Error('disk full') }, 'not saved');
    const texts = (query: Partial<LinesQuery>) => page({ ...everything, ...query }).lines.map(({ text }) => text);
    expect({
      all: texts({}),
      swap: texts({ swap: id }),
      warn: texts({ level: 'warn' }),
      part: texts({ text: 'timed OUT' }),
      none: texts({ swap: 'another' }),
    }).toEqual({
      all: ['not saved', 'the network cannot be used', 'swap moved'],
      swap: ['not saved', 'swap moved'],
      warn: ['not saved', 'the network cannot be used'],
      part: ['the network cannot be used'],
      none: [],
    });
  });

  test('are no more than the ring holds, in pages that leave none out and repeat none', () => {
    const { log, page } = linesAt(50);
    for (let i = 0; i < 120; i++) log.info({ i }, 'a line');
    const numbers: number[] = [];
    let before: number | null = null;
    do {
      const part = page({ ...everything, before, limit: 7 });
      numbers.push(...part.lines.map(({ number }) => number));
      expect(part.dropped).toBe(70);
      before = part.next;
    } while (before !== null);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, i) => 119 - i));
  });

  test('hold on to no object, cut long texts, and leave out facts that are named like a secret', () => {
    const { log, page } = linesAt();
    log.error(
      {
        big: 12n,
        list: [1n, { a: 2 }],
        preimage: 'ab',
        err: new TypeError('no'),
        long: 'x'.repeat(5_000),
        none: undefined,
      },
      'a request failed',
    );
    const [line] = page(everything).lines;
    expect(line?.facts).toEqual({
      big: '12',
      list: '["1",{"a":2}]',
      err: expect.stringMatching(/^TypeError: no/) as string,
      long: `${'x'.repeat(597)}...`,
    });
  });
});

/** Its base64 has no digit and no sign in it. */
const lettersAlone = Uint8Array.from(Buffer.from(`${'sluiceRunsSwaps'.repeat(3).slice(0, 42)}A`, 'base64'));

describe('what is handed on', () => {
  const redact = createRedact(new Uint8Array(32));

  test.each([
    ['an Arkade address', `tark1${'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.repeat(3)}`],
    ['a Bitcoin address', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['an old Bitcoin address', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['an EVM address', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
    ['an invoice', `lnbc2500u1p${'vj3g9f2tvdw0s3jn54khce6mua7l'.repeat(4)}`],
    ['an invoice in capitals', `LNBC1P${'VJ3G9F2TVDW0S3JN54KHCE6MUA7L'.repeat(4)}`],
    ['a transaction', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['a host', 'umbrel.local:10009'],
    ['an IP address', '192.168.1.17:8332'],
    ['an onion', `${'abcdefghij234567'.repeat(3)}abcdefgh.onion`],
    ['an RPC with its key', 'https://polygon.example.com/v3/0123abcd'],
    ['a file', '/home/alice/.lnd/tls.cert'],
    ['a file on Windows', 'C:\\Users\\alice\\sluice\\sluice.db'],
    ['a lightning address', 'alice@example.com'],
  ])('%s becomes a mark', (_, secret) => {
    const [line, again] = [redact(`It says ${secret}, twice: (${secret})`), redact(secret)];
    expect(line.includes(secret)).toBe(false);
    expect(line).toMatch(/^It says ‹(\w+ [0-9a-f]{4})›, twice: \(‹\1›\)$/);
    expect(again).toBe(line.slice('It says '.length, line.indexOf(',')));
  });

  test.each([
    id,
    'The RPC at 127.0.0.1:8545 answered within 22 ms, at height 79220118.',
    'claim-by-the-refund-path-of-the-provider-alone',
    'Error: boom (engine/runtime/outbox.ts:97)',
    '1000000000 sats can be sent; runs 0.20.2-beta commit=sandbox. 50 sat/vB',
  ])('%s stays as it is', (text) => expect(redact(text)).toBe(text));

  test('names of events and effects stay, of which only our code gives any', () => {
    expect([redactFact('event', 'vhtlc.claim-seen', redact), redactFact('effect', 'pay', redact)]).toEqual([
      'vhtlc.claim-seen',
      'pay',
    ]);
    expect(redactFact('cause', 'operator.example', redact)).toMatch(/^‹host/);
  });

  test('is marked differently by another start of the node', () => {
    const address = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
    expect(createRedact(new Uint8Array(32).fill(1))(address)).not.toBe(redact(address));
  });

  test('has no form of a key in it, whatever stands around it', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 64 }),
        fc.constantFrom('', ' ', '"', '=', ':', ',', '('),
        (bytes, around) => {
          const { log, page } = linesAt(100, randomBytes(32));
          const secret = Buffer.from(bytes);
          for (const form of [
            secret.toString('hex'),
            secret.toString('hex').toUpperCase(),
            secret.toString('base64'),
            secret.toString('base64url'),
            [...secret].join(','),
            [...secret].join(', '),
            BigInt(`0x01${secret.toString('hex')}`).toString(),
          ]) {
            log.info(
              { cause: `lost${around}${form}${around} here`, form, [around]: [form] },
              `text${around}${form}${around}`,
            );
          }
          const lines = JSON.stringify(page({ ...everything, redacted: true }));
          expect(search([canary('a key', secret)], new Map([['the log', Buffer.from(lines)]]))).toEqual([]);
        },
      ),
      { numRuns: 60, examples: [[lettersAlone, '']] },
    );
  });
});
