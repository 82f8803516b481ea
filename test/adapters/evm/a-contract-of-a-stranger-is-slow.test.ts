import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';

const servers: Server[] = [];
const ofStranger = `0x${'ee'.repeat(20)}`;
const stranger = asEvmAddress(new Uint8Array(20).fill(0xee));
const permit2 = asEvmAddress(new Uint8Array(20).fill(2));
const word = `0x${'11'.repeat(32)}`;

interface Asks {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What the RPCs do with a question about the stranger's contract, and what they were asked of it. */
let ofContract: 'nothing' | 'answers 429' | 'answers 504' = 'nothing';
const gas: unknown[] = [];
let mixed = 0;

function isOfStranger({ params }: Asks): boolean {
  return (params[0] as { to?: string } | undefined)?.to === ofStranger;
}

function answer({ id, method }: Asks): object {
  const reply = (result: unknown) => ({ jsonrpc: '2.0', id, result });
  const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`;
  switch (method) {
    case 'eth_chainId':
      return reply('0x89');
    case 'eth_blockNumber':
      return reply('0x10');
    case 'eth_getBlockByNumber':
      return reply({ number: '0x10', hash: word, parentHash: word, timestamp });
    case 'eth_sendRawTransaction':
      return { jsonrpc: '2.0', id, error: { code: -32_000, message: 'already known' } };
    default:
      return reply(word);
  }
}

async function serveRpc(): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Asks | Asks[];
      const all = Array.isArray(body) ? body : [body];
      const strange = all.filter(isOfStranger);
      gas.push(...strange.map(({ params }) => (params[0] as { gas?: unknown }).gas));
      if (strange.length > 0 && strange.length < all.length) mixed++;
      if (strange.length > 0 && ofContract === 'nothing') return;
      response.setHeader('content-type', 'application/json');
      if (strange.length > 0) response.statusCode = ofContract === 'answers 429' ? 429 : 504;
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let port: EvmPort;
beforeEach(async () => {
  gas.length = mixed = 0;
  ofContract = 'nothing';
  port = connectEvm({
    chainId: 137,
    rpc: [await serveRpc(), await serveRpc()],
    key: new Uint8Array(32).fill(1),
    boundTo: null,
    wall: () => Math.floor(Date.now() / 1000),
  });
  await port.heads();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const by = 'client';
const looks = () => [
  port.token(stranger, { agreed: true, by }),
  port.token(stranger, { by }),
  port.read({ to: stranger, data: new Uint8Array(4) }, { by }),
  port.allowance(stranger, permit2, permit2, 0n, 'claim'),
  port.balance(stranger, permit2, 0n, 'claim'),
];
const own = () => [
  port.broadcast(new Uint8Array(100)),
  port.heads(),
  port.allowance(permit2, permit2, permit2),
  port.token(permit2).catch(() => null),
];
async function inTime(work: readonly Promise<unknown>[]): Promise<number> {
  const begun = performance.now();
  await Promise.all(work);
  return performance.now() - begun;
}
const failures = () => port.rpcs().map(({ failure }) => failure);

test('fault 362, evm: a stranger’s contract that takes all time there is delays nothing of ours', async () => {
  for (let i = 0; i < 40; i++) for (const look of looks()) look.catch(() => null);
  expect(await inTime(own())).toBeLessThan(1_000);
  // It goes on asking, and the first of its questions are late by now.
  for (let second = 0; second < 6; second++) {
    for (const look of looks()) look.catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  expect(failures()).toEqual([null, null]);
  expect(await inTime(own())).toBeLessThan(1_000);
  expect(mixed).toBe(0);
  expect(gas.length).toBeGreaterThan(0);
  for (const most of gas) expect(Number(most)).toBeLessThanOrEqual(10_000_000);
}, 20_000);

test('fault 375, evm: prices that nobody answers fill no place of a swap that is to be funded', async () => {
  for (let i = 0; i < 24; i++)
    for (let j = 0; j < 12; j++)
      port.read({ to: stranger, data: Uint8Array.of(i, j, i, j) }, { by }).catch(() => undefined);
  expect(await inTime([port.balance(permit2, permit2, 0n, 'funding')])).toBeLessThan(1_000);
});

test.each(['answers 429', 'answers 504'] as const)(
  'fault 362, evm: an RPC that %s for a stranger’s contract is asked for what is ours all the same',
  async (how) => {
    ofContract = how;
    for (let i = 0; i < 5; i++) {
      await Promise.allSettled(looks());
      expect(failures()).toEqual([null, null]);
      expect(await inTime(own())).toBeLessThan(1_000);
    }
    // Whoever says that it wants fewer is asked fewer of these.
    if (how === 'answers 429') expect(gas.length).toBe(2 * 5);
  },
);

test('fault 362, evm: more questions about strangers’ contracts than may wait fail at once', async () => {
  const failed: string[] = [];
  for (let i = 0; i < 200; i++) {
    port.read({ to: stranger, data: Uint8Array.of(i, i, i, i) }, { by }).catch((cause: unknown) => {
      failed.push((cause as Error).message);
    });
    // Each in a request of its own.
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(failed.length).toBeGreaterThan(40);
  expect(failed[0]).toContain('too many questions wait');
});
