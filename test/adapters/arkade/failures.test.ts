import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ArkError, RestArkProvider } from '@arkade-os/sdk';
import { PortFailure } from '../../../engine/domain/errors.ts';
import { portFailure, request, errorText } from '../../../engine/adapters/arkade/failures.ts';
import { connectArkade } from '../../../engine/adapters/arkade/connect.ts';
import { unix } from '../../../engine/domain/time.ts';

let answer: { status: number; body: string } | 'never' = 'never';
const server = createServer((_, response) => {
  if (answer !== 'never') response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
});
let url = '';

beforeEach(async () => {
  answer = 'never';
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function failureOf(work: Promise<unknown>): Promise<{ code: string; retry: string } | unknown> {
  return work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof PortFailure ? { code: error.code, retry: error.retry } : error),
  );
}

function submit(limit?: number): Promise<unknown> {
  return request('submit', 'write', () => new RestArkProvider(url).submitTx('', []), limit);
}

describe('a failed request', () => {
  test('that ran into its time limit may have arrived', async () => {
    expect(await failureOf(submit(50))).toEqual({ code: 'operator-late', retry: 'ask-first' });
  });

  test('that nobody listened to did not arrive', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(submit())).toEqual({ code: 'operator-away', retry: 'safe' });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  test('whose connection broke may have arrived', async () => {
    const pending = submit();
    await new Promise((resolve) => setTimeout(resolve, 100));
    server.closeAllConnections();
    expect(await failureOf(pending)).toEqual({ code: 'operator-away', retry: 'ask-first' });
  });

  test.each([
    [
      { status: 503, body: '{"code":14,"message":"server not ready"}' },
      { code: 'operator-away', retry: 'ask-first' },
    ],
    [
      { status: 400, body: '{"code":9,"message":"ark service not ready: wallet is locked or syncing","details":[]}' },
      { code: 'operator-not-ready', retry: 'safe' },
    ],
    [
      { status: 502, body: '<html>bad gateway</html>' },
      { code: 'operator-away', retry: 'ask-first' },
    ],
  ])('answered with %j is %j', async (given, expected) => {
    answer = given;
    expect(await failureOf(submit())).toEqual(expected);
  });

  test('is a PortFailure when it leaves the port, and reading is always safe to repeat', async () => {
    answer = { status: 500, body: 'nonsense' };
    const keys = (): Uint8Array => new Uint8Array(32).fill(1);
    const port = connectArkade(url, {
      keys,
      clock: { wall: () => unix(1_900_000_000), mtp: () => null },
      network: 'regtest',
    });
    expect(await failureOf(port.info())).toEqual({ code: 'operator-away', retry: 'safe' });
  });

  test('refused by the operator says so by its code, and never repeats a PSBT that may hold a preimage', () => {
    const answer = new ArkError(
      18,
      `invalid signature in checkpoint tx ${'cHNidP8BAF'.repeat(30)}`,
      'INVALID_SIGNATURE',
    );
    const failure = portFailure('finalize', 'write', answer);
    expect({
      code: failure.code,
      retry: failure.retry,
      message: failure.message,
      cause: failure.cause,
      said: errorText(answer),
    }).toEqual({
      code: 'refused',
      retry: 'never',
      message: 'the Arkade operator refused finalize: INVALID_SIGNATURE (18): invalid signature in checkpoint tx …',
      cause: undefined,
      said: 'INVALID_SIGNATURE (18): invalid signature in checkpoint tx …',
    });
  });
});
