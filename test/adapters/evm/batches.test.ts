import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rpcAt, type RpcError } from '../../../engine/adapters/evm/rpc.ts';
import { hand, type Source } from '../../../engine/adapters/evm/source.ts';
import { createSources } from '../../../engine/adapters/evm/sources.ts';
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

describe('fault 340, evm: what a stranger made longer than an answer may be', () => {
  const words = (length: number): string => 'x'.repeat(length);
  const lengths: Readonly<Record<string, number>> = { 'call 3': 2_100_000, 'call 30': 8_100_000 };
  let source: Source;

  beforeEach(() => {
    proxy.behave((_, [first]) => ({ result: words(lengths[String(first)] ?? 1) }));
    [source] = createSources(137, [proxy.url], null).all as [Source];
  });

  it.each(['eth_getTransactionReceipt', 'eth_call'])('has no say over the others in a batch of %s', async (method) => {
    const answers = await Promise.allSettled(names.slice(0, 30).map((name) => hand(source, method, name)));
    const isRead = method === 'eth_getTransactionReceipt';
    expect(answers.map((one) => one.status === 'fulfilled')).toEqual(
      names.slice(0, 30).map((_, i) => isRead || i !== 3),
    );
    expect([proxy.requests.length, source.failure, source.restsUntil]).toEqual([isRead ? 32 : 31, null, 0]);
    proxy.requests.length = 0;
    const others = names.slice(4, 30);
    await Promise.all(others.map((name) => hand(source, method, name)));
    expect(proxy.requests).toEqual([26]);
  });

  it('is not asked for again for a while where it is a receipt', async () => {
    const ask = (): Promise<readonly string[]> =>
      Promise.allSettled(names.slice(20).map((name) => hand(source, 'eth_getTransactionReceipt', name))).then((all) =>
        all.flatMap((one, i) => (one.status === 'rejected' ? [names[20 + i] ?? ''] : [])),
      );
    expect(await ask()).toEqual(['call 30']);
    proxy.requests.length = 0;
    expect(await ask()).toEqual(['call 30']);
    expect([proxy.requests, source.failure]).toEqual([[19], null]);
  });
});
