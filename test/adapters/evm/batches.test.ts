import { afterEach, beforeEach, expect, it } from 'vitest';
import { rpcAt, type RpcError } from '../../../engine/adapters/evm/rpc.ts';
import { startEvmProxy, type EvmProxy } from '../../support/evm-proxy.ts';

let proxy: EvmProxy;

beforeEach(async () => {
  proxy = await startEvmProxy('http://127.0.0.1:9');
  proxy.behave((_, [first]) => (first === 'bad' ? { error: { code: 3, message: 'reverted' } } : { result: first }));
});
afterEach(() => proxy.stop());

const names = Array.from({ length: 40 }, (_, i) => `call ${i}`);

it('questions of one kind that are asked in one turn go together, and each has its own answer or error', async () => {
  const rpc = rpcAt(proxy.url);
  const answers = await Promise.allSettled([
    ...names.map((name) => rpc('eth_call', name)),
    rpc('eth_call', 'bad'),
    rpc('eth_estimateGas', 'alone'),
    rpc('eth_getLogs', 'slow'),
    rpc('eth_getLogs', 'slower'),
  ]);
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as RpcError).words))).toEqual([
    ...names,
    'reverted',
    'alone',
    'slow',
    'slower',
  ]);
  expect(proxy.requests.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 9, 32]);
});

it('an endpoint that refuses a batch is asked one by one, and in smaller batches from then on', async () => {
  proxy.limitBatches(10);
  const rpc = rpcAt(proxy.url);
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(names.map((name) => rpc('eth_call', name)))).toEqual(names);
  proxy.requests.length = 0;
  expect(await Promise.all(names.map((name) => rpc('eth_call', name)))).toEqual(names);
  expect(proxy.requests).toEqual([8, 8, 8, 8, 8]);
});

it('a batch that is refused for its rate is not asked again one by one', async () => {
  proxy.behave(() => ({ status: 429 }));
  const rpc = rpcAt(proxy.url);
  const answers = await Promise.allSettled(names.slice(0, 5).map((name) => rpc('eth_call', name)));
  expect(answers.every((one) => one.status === 'rejected' && (one.reason as RpcError).isBusy)).toBe(true);
  expect(proxy.requests).toEqual([5]);
});

it('what a reply leaves out is asked alone', async () => {
  const rpc = rpcAt(proxy.url);
  proxy.leaveOut('call 1');
  expect(await Promise.all(names.slice(0, 3).map((name) => rpc('eth_call', name)))).toEqual(names.slice(0, 3));
  expect(proxy.requests).toEqual([3, 1]);
});
