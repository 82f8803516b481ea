import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
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

const connect = (...urls: readonly string[]): EvmPort =>
  connectEvm({
    chainId: 1,
    rpc: urls,
    key: new Uint8Array(32).fill(7),
    boundTo: null,
    wall,
    maxTipAge: () => seconds(600),
    agreedBefore: () => null,
  });

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
