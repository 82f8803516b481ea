import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeErrorResult, parseAbi } from 'viem/utils';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { RpcError } from '../../../engine/adapters/evm/rpc.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import type { EvmCall, EvmPort } from '../../../engine/legs/evm/port.ts';

const servers: Server[] = [];
const ofStranger = `0x${'ee'.repeat(20)}`;
const word = `0x${'11'.repeat(32)}`;
const data = encodeErrorResult({
  abi: parseAbi(['error Error(string)']),
  errorName: 'Error',
  args: ['rate limit'],
});
/** `revert("rate limit")`, as geth, Erigon and every provider of them answers it. */
const reverted = { code: 3, message: 'execution reverted: rate limit', data };

interface Asks {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

function answer({ id, method, params }: Asks): object {
  const reply = (result: unknown) => ({ jsonrpc: '2.0', id, result });
  const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`;
  const isOfStranger = (params[0] as { to?: string } | undefined)?.to === ofStranger;
  if (isOfStranger) return { jsonrpc: '2.0', id, error: reverted };
  switch (method) {
    case 'eth_chainId':
      return reply('0x89');
    case 'eth_blockNumber':
      return reply('0x10');
    case 'eth_getBlockByNumber':
      return reply({ number: '0x10', hash: word, parentHash: word, timestamp });
    case 'eth_estimateGas':
      return reply('0x20000');
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
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let port: EvmPort;
beforeEach(async () => {
  port = connectEvm({
    chainId: 137,
    rpc: [await serveRpc(), await serveRpc()],
    key: new Uint8Array(32).fill(1),
    boundTo: null,
    wall: () => Math.floor(Date.now() / 1000),
  });
  await port.identity();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const token = asEvmAddress(new Uint8Array(20).fill(0xee));
const callTo = (to: number): EvmCall => ({
  to: asEvmAddress(new Uint8Array(20).fill(to)),
  data: new Uint8Array(4),
  value: 0n as EvmCall['value'],
});

test.each([
  ['a token is looked at, as for a quote', () => port.token(token, { agreed: true })],
  ['a view of it is read, as for what its client signs', () => port.read(callTo(0xee))],
  ['a call of it is simulated', () => port.simulate(callTo(0xee))],
])('fault 175, evm: a contract that says “rate limit” takes no RPC from us: %s', async (_, look) => {
  await look().catch(() => null);
  await expect(port.simulate(callTo(0xaa))).resolves.toMatchObject({ is: 'passes' });
});

test('fault 175, evm: a revert that speaks of a limit is one, in whatever words its node puts it', async () => {
  await expect(port.simulate(callTo(0xee))).resolves.toMatchObject({ is: 'reverts', reason: 'rate limit' });
  const isBusy = (code: number, words: string, more?: unknown) => new RpcError('eth_call', code, words, more).isBusy;
  expect(isBusy(3, 'too many requests')).toBe(false);
  expect(isBusy(-32_000, 'VM Exception while processing transaction: revert rate limit')).toBe(false);
  expect(isBusy(-32_015, 'VM execution error: daily limit', `Reverted ${data}`)).toBe(false);
  // What no contract can say: the node's own words, and its own code.
  expect(isBusy(-32_005, 'daily request count exceeded, request rate limited')).toBe(true);
  expect(isBusy(429, 'execution reverted: rate limit')).toBe(true);
});

test('fault 175, evm: half a megabyte of words holds nobody up, a contract’s or an RPC’s own', () => {
  const words = 'exceeded '.repeat(60_000);
  const begun = performance.now();
  expect(new RpcError('eth_call', 3, `execution reverted: ${words}`).isBusy).toBe(false);
  expect(new RpcError('eth_call', -32_000, words).isBusy).toBe(false);
  expect(performance.now() - begun).toBeLessThan(1_000);
});
