import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { nativeCoin } from '../../../engine/domain/evm.ts';
import { seconds } from '../../../engine/domain/time.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const one of servers.splice(0)) one.close();
});

type Says = (method: string, params: readonly unknown[]) => unknown;

const zeros = `0x${'0'.repeat(64)}`;
const wall = () => Math.floor(Date.now() / 1_000);
const block = (number: number, timestamp: number) => ({
  number: `0x${number.toString(16)}`,
  hash: `0x${number.toString(16).padStart(64, 'a')}`,
  parentHash: zeros,
  timestamp: `0x${timestamp.toString(16)}`,
});

const honest: Says = (method, [first]) => {
  if (method === 'eth_chainId') return '0x1';
  if (method === 'eth_getBlockByNumber') return first === '0x0' ? block(0, 1) : block(1_000, wall());
  if (method === 'eth_getTransactionCount') return '0x7d0';
  throw new Error(method);
};

async function rpc(says: Says): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const questions = JSON.parse(body) as
        { id: number; method: string; params: unknown[] } | { id: number; method: string; params: unknown[] }[];
      const one = ({ id, method, params }: { id: number; method: string; params: unknown[] }) => ({
        jsonrpc: '2.0',
        id,
        result: says(method, params),
      });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(questions) ? questions.map(one) : one(questions)));
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const connect = (...urls: readonly string[]): EvmPort => connectTo(1, urls);

/** `skew`: seconds that this machine's clock is ahead. */
const connectTo = (chainId: number, urls: readonly string[], skew = 0): EvmPort =>
  connectEvm({
    chainId,
    rpc: urls,
    key: new Uint8Array(32).fill(7),
    boundTo: null,
    wall: () => wall() + skew,
    maxTipAge: () => seconds(600),
    agreedBefore: () => null,
  });

/** Honest but for its last block, how many transactions it counts, and its chain. */
const dating =
  (time: () => number, count = '0x7d0', chainId = 1): Says =>
  (method, params) => {
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
    if (method === 'eth_getTransactionCount') return count;
    if (method === 'eth_getBlockByNumber' && params[0] !== '0x0') return block(1_000, time());
    return honest(method, params);
  };

it('fault 168, evm: of two RPCs one that stands still does not say how many of ours are mined', async () => {
  const still: Says = (method, params) => {
    if (method === 'eth_getTransactionCount') return '0x700';
    if (method === 'eth_getBlockByNumber' && params[0] !== '0x0') return block(900, wall() - 86_400);
    return honest(method, params);
  };
  const port = connect(await rpc(honest), await rpc(still));
  const counting = (await port.heads()).rpcs.map(({ counts }) => counts);
  expect([counting, await port.nonces()]).toMatchObject([[true, false], { mined: 2_000, pending: 2_000 }]);
});

it('fault 283, evm: an RPC that dates its block ahead does not say alone what an account holds', async () => {
  const lies: Says = (method, params) => {
    if (method === 'eth_getBalance') return '0xffffffffffff';
    if (method === 'eth_getBlockByNumber' && params[0] !== '0x0') return block(1_000, wall() + 3_600);
    return honest(method, params);
  };
  const poor: Says = (method, params) => (method === 'eth_getBalance' ? '0x9' : honest(method, params));
  const port = connect(await rpc(lies), await rpc(poor), await rpc(poor));
  await port.heads();
  expect(await port.sureBalance(nativeCoin, port.account())).toBe(9n);
});

it('fault 321, evm: an RPC that dates its block ahead neither counts alone nor keeps others out', async () => {
  const ahead: Says = (method, params) => {
    if (method === 'eth_getTransactionCount') return '0xfff';
    if (method === 'eth_getBalance') return '0xfff';
    if (method === 'eth_getBlockByNumber' && params[0] !== '0x0') return block(1_000, wall() + 3_600);
    return honest(method, params);
  };
  const rich: Says = (method, params) => (method === 'eth_getBalance' ? '0x9' : honest(method, params));
  const [one, other, liar] = [await rpc(rich), await rpc(rich), await rpc(ahead)];
  for (const port of [connect(one, liar), connect(one, other, liar)]) {
    await port.heads();
    expect([
      await port.minedOf(port.account()),
      await port.nonces(),
      // By the first of them, in the order of the owner.
      await port.balance(nativeCoin, port.account()),
    ]).toEqual([{ mined: 2_000 }, { mined: 2_000, pending: 2_000 }, 9n]);
  }
});

it('fault 321, evm: while the clock here is ahead nobody counts alone by a block of then', async () => {
  const [one, other] = [await rpc(dating(wall)), await rpc(dating(wall))];
  const port = connectTo(1, [one, other, await rpc(dating(() => wall() + 300, '0xfff'))], 300);
  await port.heads();
  expect(await port.minedOf(port.account())).toEqual({ mined: 2_000 });
});

it('fault 321, evm: while the clock here is behind an RPC that stands still is not in step', async () => {
  let passed = 0;
  const real = performance.now.bind(performance);
  const run = vi.spyOn(performance, 'now').mockImplementation(() => real() + passed * 1_000);
  const date = vi.spyOn(Date, 'now').mockImplementation(() => start + passed * 1_000);
  const start = Math.floor(performance.timeOrigin + real());
  try {
    const begun = wall();
    const port = connectTo(1, [await rpc(dating(wall)), await rpc(dating(() => begun, '0x700'))], -300);
    await port.heads();
    passed = 200;
    await port.heads();
    expect(await port.minedOf(port.account())).toMatchObject({ mined: 2_000 });
  } finally {
    run.mockRestore();
    date.mockRestore();
  }
});

it('fault 321, evm: a gap between the blocks of a slow chain puts nobody behind', async () => {
  const urls = [await rpc(dating(() => wall() - 90, '0x7d0', 30)), await rpc(dating(wall, '0xfff', 30))];
  const port = connectTo(30, urls);
  await port.heads();
  expect(await port.minedOf(port.account())).toEqual({ mined: 2_000 });
});
