import { describe, expect, test } from 'vitest';
import { hour, unix } from '../../engine/domain/time.ts';
import { createRedact } from '../../engine/runtime/redact.ts';
import { createCountedLog, createWrittenLog, type LogRules } from '../../engine/runtime/written-log.ts';

function sink() {
  const lines: [string, object, string][] = [];
  const line = (level: string) => (facts: object, text: string) => void lines.push([level, facts, text]);
  return { lines, log: { info: line('info'), warn: line('warn'), error: line('error') } };
}

function written(rules: LogRules) {
  const { lines, log } = sink();
  return { lines, log: createWrittenLog(log, { rules: () => rules, redact: createRedact(new Uint8Array(32)) }) };
}

describe('the log that is written', () => {
  test('begins at its level', () => {
    const { lines, log } = written({ level: 'warn', redact: false });
    log.info({}, 'a');
    log.warn({}, 'b');
    log.error({}, 'c');
    expect(lines.map(([, , text]) => text)).toEqual(['b', 'c']);
  });

  test('carries no host, address, key or path, however deep it stands', () => {
    const { lines, log } = written({ level: 'info', redact: true });
    const secrets = [
      'operator.example:443',
      '10.1.2.3:10009',
      'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      'ab'.repeat(32),
      '/srv/money/seed.sealed',
      'https://user.example/path',
    ];
    for (const secret of secrets) {
      log.warn(
        { cause: `it said ${secret} twice`, list: [{ deep: secret }], err: new Error(secret) },
        `about ${secret}`,
      );
      log.info({ big: 5n, none: null, count: 3, bytes: new Uint8Array(4) }, 'plain');
    }
    const text = JSON.stringify(lines, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(lines[1]).toEqual(['info', { big: 5n, none: null, count: 3, bytes: '(bytes)' }, 'plain']);
  });

  test('names what happened: events and effects look like hosts, and are none', () => {
    const { lines, log } = written({ level: 'info', redact: true });
    log.info({ event: 'vhtlc.claim-seen', effect: 'onchain.broadcast' }, 'swap moved');
    log.info({ event: 'from operator.example:443', other: 'operator.example' }, 'swap moved');
    const mark = expect.stringMatching(/‹host [0-9a-f]{4}›$/);
    expect(lines).toEqual([
      ['info', { event: 'vhtlc.claim-seen', effect: 'onchain.broadcast' }, 'swap moved'],
      ['info', { event: mark, other: mark }, 'swap moved'],
    ]);
  });

  test('keeps the places of a stack, below the folder of the program', () => {
    const { lines, log } = written({ level: 'info', redact: true });
    const error = new Error('no');
    error.stack = 'Error: no\n    at step (file:///srv/sluice/engine/runtime/commit.ts:12:3)';
    log.error({ err: error }, 'failed');
    expect(lines).toEqual([
      [
        'error',
        { err: { type: 'Error', message: 'no', stack: expect.stringContaining('engine/runtime/commit.ts:12:3') } },
        'failed',
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain('/srv');
  });

  test('is whole where its owner wants it so', () => {
    const { lines, log } = written({ level: 'info', redact: false });
    log.info({ host: 'operator.example' }, 'x');
    expect(lines).toEqual([['info', { host: 'operator.example' }, 'x']]);
  });
});

describe('warnings that come again and again', () => {
  function counted() {
    let now = 1_760_000_000;
    const { lines, log } = sink();
    return { lines, log: createCountedLog(log, () => unix(now)), wait: (seconds: number) => void (now += seconds) };
  }

  test('are told at their first, tenth and hundredth time and once an hour, with the count', () => {
    const { lines, log, wait } = counted();
    for (let i = 0; i < 150; i++) log.warn({ network: 'bitcoin', cause: `at height ${i}` }, 'not read');
    wait(hour);
    log.warn({ network: 'bitcoin', cause: 'at height 7' }, 'not read');
    expect(lines.map(([, facts]) => facts)).toEqual([
      { network: 'bitcoin', cause: 'at height 0' },
      { network: 'bitcoin', cause: 'at height 9', count: 10 },
      { network: 'bitcoin', cause: 'at height 99', count: 100 },
      { network: 'bitcoin', cause: 'at height 7', count: 151 },
    ]);
  });

  test('of another swap, network, cause or level are others', () => {
    const { lines, log } = counted();
    log.warn({ swap: 'a1', cause: 'no' }, 'x');
    log.warn({ swap: 'a2', cause: 'no' }, 'x');
    log.warn({ swap: 'a2', cause: 'never' }, 'x');
    log.error({ swap: 'a2', cause: 'never' }, 'x');
    log.error({ swap: 'a2', err: new Error('one') }, 'x');
    log.error({ swap: 'a2', err: new Error('two') }, 'x');
    expect(lines.length).toBe(6);
  });

  test('what happened is told each time, and what failed is counted', () => {
    const { lines, log } = counted();
    for (let i = 0; i < 5; i++) log.info({ swap: 'a' }, 'swap moved');
    for (let i = 0; i < 5; i++) log.info({ cause: 'no answer' }, 'not read');
    expect(lines.length).toBe(6);
  });
});
