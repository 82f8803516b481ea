import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ArkError } from '@arkade-os/sdk';
import { afterEach, expect, test } from 'vitest';
import { portFailure } from '../../engine/adapters/arkade/failures.ts';
import { core } from '../../engine/adapters/bitcoin/core.ts';
import { esplora } from '../../engine/adapters/bitcoin/esplora.ts';
import { judgeRejection } from '../../engine/adapters/bitcoin/rejection.ts';
import { revertOf } from '../../engine/adapters/evm/revert.ts';
import { RpcError } from '../../engine/adapters/evm/rpc.ts';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { failureOf } from '../../engine/adapters/lnd/failure.ts';
import { lnurlResolver } from '../../engine/adapters/lnurl/resolver.ts';
import { NoAnswer } from '../../engine/adapters/probe/answer.ts';
import { judgeVersion } from '../../engine/doctor/judge/versions.ts';
import { rowsOf } from '../../engine/doctor/judge/row.ts';
import { PortFailure } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { createLogLines } from '../../engine/runtime/log-lines.ts';
import { createRedact } from '../../engine/runtime/redact.ts';
import { createCountedLog, createWrittenLog } from '../../engine/runtime/written-log.ts';
import { CallFailed } from '../../engine/contract/client.ts';
import { calling } from '../../engine/taker/answers.ts';

/** Where a pattern takes the square of it, this takes more than five seconds. */
const length = 50_000;
const repeated = (part: string): string => part.repeat(length / part.length);
const texts = ['{', 'a', 'a-', 'a.', '1', '@a', ' ', '/a'].map(repeated);

/** Milliseconds of this process's own processor time: another program on the machine does not count. */
async function spentOn(act: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(status: number, body: string | ((at: string) => string)): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(typeof body === 'string' ? body : body(request.headers.host ?? ''));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const transaction = new Uint8Array(60);

test('fault 234, bitcoin: no refusal of a broadcast holds the process, however long it is', async () => {
  for (const text of texts) {
    const json = JSON.stringify({ code: -26, message: text });
    for (const body of [text, `sendrawtransaction RPC error: ${json}`]) {
      const port = esplora({ url: await serve(400, body) });
      expect(
        await spentOn(async () => expect(await port.passOn(transaction)).toMatchObject({ is: 'refused' })),
      ).toBeLessThan(1_000);
      const answer = await port.passOn(transaction);
      expect('reason' in answer ? answer.reason.length : 0).toBeLessThanOrEqual(500);
    }
    const url = await serve(500, `{"result":null,"error":${json},"id":1}`);
    const node = core({ url, user: 'user', password: 'password', ca: null });
    const answer = await node.passOn(transaction);
    expect('reason' in answer ? answer.reason.length : 0).toBeLessThanOrEqual(500);
  }
  expect(await spentOn(() => judgeRejection(-26, repeated('TRUC-violation, version=3 tx ')))).toBeLessThan(1_000);
  const words = 'bad-txns-inputs-missingorspent';
  const short = esplora({ url: await serve(400, `sendrawtransaction RPC error: {"code":-25,"message":"${words}"}`) });
  expect(await short.passOn(transaction)).toEqual({ is: 'spent', reason: words });
});

test('fault 234, lightning: no error of the Lightning node holds the process, however long it is', async () => {
  const wrapped = `No connection established. Last error: ${repeated(' Resolution note: ').repeat(4)}\n`;
  for (const details of [...texts, wrapped]) {
    const failures: PortFailure[] = [];
    const spent = await spentOn(() => failures.push(failureOf('pay', { code: 2, details }, 'safe')));
    expect(spent).toBeLessThan(1_000);
    expect(failures[0]?.message.length).toBeLessThanOrEqual(600);
  }
});

test('fault 234, arkade: no refusal of the operator holds the process, however long it is', async () => {
  for (const text of texts) {
    const failures: PortFailure[] = [];
    const spent = await spentOn(() => failures.push(portFailure('submit', 'write', new ArkError(3, text, text))));
    expect(spent).toBeLessThan(1_000);
    expect(failures[0]?.message.length).toBeLessThanOrEqual(400);
  }
});

test('fault 234, evm: no error of an RPC holds the process, however long it is', async () => {
  for (const text of texts) {
    const spent = await spentOn(() => {
      const error = new RpcError('eth_call', 3, text, text);
      expect([error.isBusy, error.isPruned, revertOf(error)?.reason.length]).toEqual([
        false,
        false,
        expect.any(Number),
      ]);
      expect(error.message.length).toBeLessThanOrEqual(400);
    });
    expect(spent).toBeLessThan(1_000);
    expect(new NoAnswer('not-it', text).message.length).toBeLessThanOrEqual(500);
  }
});

test('fault 234: no answer of a provider, or version of a daemon, is longer than what is looked at', async () => {
  for (const text of texts) {
    const spent = await spentOn(async () => {
      const answer = await calling(() => Promise.reject(new CallFailed(400, text)), []);
      expect('refused' in answer ? answer.refused.length : 0).toBeLessThanOrEqual(310);
      const rows = rowsOf('lightning');
      judgeVersion(rows, 'lnd', 'lnd', text);
      expect(rows.list[0]?.sentence.length).toBeLessThanOrEqual(400);
    });
    expect(spent).toBeLessThan(1_000);
  }
  expect(PortFailure.of<string>()('refused', 'never', repeated('a')).message.length).toBeLessThanOrEqual(2_000);
});

test('fault 234, lightning: no payee that a stranger names holds the process by its callback', async () => {
  const resolver = lnurlResolver({ decode: decodeInvoice, mayAsk: () => true, limit: 5_000 });
  for (const callback of texts) {
    const offer = { tag: 'payRequest', callback, minSendable: 1_000, maxSendable: 100_000_000, metadata: '[]' };
    const { host } = new URL(await serve(200, JSON.stringify(offer)));
    const spent = await spentOn(async () =>
      expect(await resolver.resolve({ lightning_address: `alice@${host}` }, sats(50_000))).toMatchObject({
        sentence: expect.stringContaining('it sent no callback'),
      }),
    );
    expect(spent).toBeLessThan(1_000);
  }
});

test('fault 234: no text in a line of the log holds the process, however long it is', async () => {
  const lines: unknown[] = [];
  const add = (...line: unknown[]): void => void lines.push(line);
  const sink = { info: add, warn: add, error: add };
  const rules = { level: 'info', redact: true } as const;
  const { log, page } = createLogLines(createWrittenLog(sink, { rules: () => rules }), { wall: () => 0 });
  const counted = createCountedLog(log, () => 0 as never);
  for (const text of texts) {
    const error = new Error(text);
    const spent = await spentOn(() => {
      createRedact()(text);
      counted.warn({ cause: text, error, list: [{ deep: text }] }, text);
    });
    expect(spent).toBeLessThan(1_000);
  }
  expect(lines).toHaveLength(texts.length);
  expect(JSON.stringify(lines).length / texts.length).toBeLessThan(20_000);
  expect(lines[0]).toMatchObject([{ cause: expect.stringMatching(/…$/) }, expect.stringMatching(/…$/)]);
  const query = { swap: null, level: 'info', text: null, before: null, limit: 100 } as const;
  expect(await spentOn(() => page({ ...query, redacted: true }))).toBeLessThan(1_000);
});

test('fault 234: a line is whole up to two thousand characters, and so is one that is not redacted', () => {
  const lines: unknown[] = [];
  const add = (...line: unknown[]): void => void lines.push(line);
  const log = createWrittenLog(
    { info: add, warn: add, error: add },
    { rules: () => ({ level: 'info', redact: false }) },
  );
  const at = new Date(0);
  log.info({ cause: 'x'.repeat(2_000), at, count: 3 }, 'whole');
  log.info({ cause: 'x'.repeat(2_001) }, 'cut');
  expect(lines).toEqual([
    [{ cause: 'x'.repeat(2_000), at, count: 3 }, 'whole'],
    [{ cause: `${'x'.repeat(1_999)}…` }, 'cut'],
  ]);
});
