import { type Hex, parseEther, toEventSelector } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvmServer, serveEvm } from '../../../engine/sandbox/wire/evm.ts';
import type { EvmChain } from '../../../engine/sandbox/world/evm/chain.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import { alice, bob, clockOfTests, fund, openChain, signed, token, transferring } from './kit.ts';

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

type Fields = Readonly<Record<string, Hex>>;

let chain: EvmChain;
let server: EvmServer;

async function open(chainId: 137 | 31): Promise<void> {
  chain = await openChain(memoryJournal(), clockOfTests(), chainId);
  server = await serveEvm(chain, { port: 0, legacyOnly: chainId === 31 });
  await fund(chain, alice.address, '', parseEther('10'));
}

afterEach(async () => {
  await server.stop();
  await chain.stop();
});

async function post(body: unknown, url = server.url): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

async function ask(method: string, ...params: unknown[]): Promise<Answer> {
  return (await post({ jsonrpc: '2.0', id: 7, method, params })).body as Answer;
}

async function fieldsOf(method: string, ...params: unknown[]): Promise<Fields | null> {
  return ((await ask(method, ...params)).result ?? null) as Fields | null;
}

describe('the RPC of chain 137', () => {
  beforeEach(() => open(137));

  it('answers what a node of the chain answers, one call or many', async () => {
    expect((await post({ jsonrpc: '2.0', id: 'a', method: 'eth_chainId' })).body).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: '0x89',
    });
    const both = await post([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'net_version', params: [] })));
    expect(both.body).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: '137' })));
    expect((await ask('eth_accounts')).result).toEqual([]);
  });

  it.each(['anvil_setBalance', 'evm_mine', 'hardhat_setCode', 'debug_traceCall', 'eth_sendTransaction', 'constructor'])(
    'does not offer %s',
    async (method) => {
      expect(await ask(method, alice.address, '0x1')).toMatchObject({ error: { code: -32601 } });
    },
  );

  it('says why a call reverted in the words of geth, the data beside it', async () => {
    const data = transferring(bob.address, 5n);
    expect((await ask('eth_call', { from: bob.address, to: token('WBTC'), data }, 'latest')).error).toEqual({
      code: 3,
      message: 'execution reverted',
      data: expect.stringMatching(/^0xe450d38c/),
    });
  });

  it('knows a transaction that it has, and refuses bytes that are none', async () => {
    const raw = await signed(alice, { nonce: 0, to: bob.address, value: 1n });
    const { result } = await ask('eth_sendRawTransaction', raw);
    expect(result).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await ask('eth_sendRawTransaction', raw)).error?.message).toBe('already known');
    expect((await ask('eth_sendRawTransaction', '0x1234')).error).toBeDefined();
    expect((await ask('eth_sendRawTransaction', 5)).error).toBeDefined();
  });

  it('away, it answers nothing; the second one does, and it comes back', async () => {
    server.setFault('away');
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status).toBe(503);
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }, server.secondUrl)).status).toBe(200);
    server.setFault('back');
    expect((await ask('eth_chainId')).result).toBe('0x89');
  });

  it('lagging, it knows of no block after the fault, nor of what is in one', async () => {
    await chain.mine(1);
    const height = chain.tip().number;
    server.setFault('lags');
    await fund(chain, bob.address, '', 5n);
    await fund(chain, bob.address, 'WBTC', 5n);
    const raw = await signed(alice, { nonce: 0, to: bob.address, value: 1n });
    const { result: hash } = await ask('eth_sendRawTransaction', raw);
    await chain.mine(1);
    expect(Number((await ask('eth_blockNumber')).result)).toBe(height);
    expect(Number((await fieldsOf('eth_getBlockByNumber', 'latest', false))?.['number'])).toBe(height);
    expect(await fieldsOf('eth_getBlockByNumber', `0x${(height + 1).toString(16)}`, false)).toBeNull();
    expect(await fieldsOf('eth_getBlockByHash', chain.tip().hash, false)).toBeNull();
    expect(await fieldsOf('eth_getTransactionReceipt', hash)).toBeNull();
    expect(await fieldsOf('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: null });
    expect((await ask('eth_getBalance', bob.address, 'latest')).result).toBe('0x0');
    expect((await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).result).toEqual([]);
    server.setFault('back');
    expect(await fieldsOf('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
    expect((await ask('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).result).toHaveLength(1);
  });

  it('lying, it has other blocks than everybody else, in which whatever waits has succeeded', async () => {
    await fund(chain, alice.address, 'WBTC', 5n);
    const logs = {
      address: token('WBTC'),
      topics: [toEventSelector('Transfer(address,address,uint256)')],
      fromBlock: '0x0',
    };
    const before = (await ask('eth_getLogs', logs)).result as Fields[];
    server.setFault('lies');
    await chain.mine(1);
    const own = await fieldsOf('eth_getBlockByNumber', 'latest', false);
    expect(own?.['hash']).not.toBe(chain.tip().hash);
    expect(await fieldsOf('eth_getBlockByHash', own?.['hash'], false)).toEqual(own);
    const raw = await signed(alice, { nonce: 0, to: token('WBTC'), data: transferring(bob.address, 5n) });
    const { result: hash } = await ask('eth_sendRawTransaction', raw);
    const receipt = await fieldsOf('eth_getTransactionReceipt', hash);
    expect(receipt).toMatchObject({ status: '0x1', blockHash: own?.['hash'], logs: [{ transactionHash: hash }] });
    expect(await fieldsOf('eth_getTransactionByHash', hash)).toMatchObject({ blockHash: own?.['hash'] });
    expect((await ask('eth_getLogs', logs)).result).toHaveLength(before.length + 1);
    expect(await chain.call('eth_getTransactionReceipt', hash)).toBeNull();
    server.setFault('back');
    expect(await fieldsOf('eth_getTransactionReceipt', hash)).toBeNull();
  });
});

describe('the RPC of chain 31', () => {
  beforeEach(() => open(31));

  it('takes transactions of the oldest form alone, and offers nothing that the newer ones need', async () => {
    const newer = await alice.signTransaction({
      ...{ type: 'eip1559', chainId: 31, nonce: 0, gas: 21_000n, to: bob.address, value: 1n },
      ...{ maxFeePerGas: 200_000_000n, maxPriorityFeePerGas: 0n },
    });
    expect((await ask('eth_sendRawTransaction', newer)).error?.message).toBe('transaction type not supported');
    expect((await ask('eth_maxPriorityFeePerGas')).error?.code).toBe(-32601);
    const raw = await signed(alice, { nonce: 0, to: bob.address, value: 1n }, 31);
    const { result } = await ask('eth_sendRawTransaction', raw);
    await chain.mine(1);
    expect(await fieldsOf('eth_getTransactionReceipt', result)).toMatchObject({ status: '0x1' });
  });
});
