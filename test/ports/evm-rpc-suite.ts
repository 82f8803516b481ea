import { type Hex, parseEther, parseGwei, toEventSelector } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alice, bob, signed, token, transferring } from '../sandbox/evm/kit.ts';

/** A chain 137 as the sandbox begins it, by its JSON-RPC and by whoever mines on it. */
export interface EvmScene {
  /** Rejects with an error that has the `code` and `data` of the answer. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  mine(blocks: number): Promise<void>;
  setBaseFee(wei: bigint): Promise<void>;
  /** Coins and WBTC out of the faucet, mined. */
  fund(to: Hex, coins: bigint, wbtc: bigint): Promise<void>;
  stop(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * One behaviour, whatever runs the contracts: words are compared in lower case, gas and hashes within a chain alone.
 */
export function evmRpcSuite(open: () => Promise<EvmScene>): void {
  let chain: EvmScene;
  const wbtc = token('WBTC');
  const transfer = toEventSelector('Transfer(address,address,uint256)');

  beforeEach(async () => {
    chain = await open();
    await chain.fund(alice.address, parseEther('10'), 1_000n);
  });
  afterEach(() => chain.stop());

  const read = async (method: string, ...params: unknown[]): Promise<Json | null> =>
    (await chain.call(method, ...params)) as Json | null;
  const send = async (raw: Hex): Promise<Hex> => (await chain.call('eth_sendRawTransaction', raw)) as Hex;
  const number = async (method: string, ...params: unknown[]): Promise<bigint> =>
    BigInt((await chain.call(method, ...params)) as string);

  async function failure(method: string, ...params: unknown[]): Promise<{ message: string; data?: unknown }> {
    const error = (await chain.call(method, ...params).then(
      () => null,
      (thrown: unknown) => thrown,
    )) as { message: string; data?: unknown; error?: { data?: unknown } } | null;
    if (error === null) return { message: 'it succeeded' };
    const data = error.data ?? error.error?.data;
    return { message: error.message.toLowerCase(), ...(data === undefined ? {} : { data }) };
  }

  describe('blocks', () => {
    it('follow each other, later each, and are found by number and by hash', async () => {
      const height = await number('eth_blockNumber');
      await chain.mine(2);
      const [parent, child] = await Promise.all(
        [height + 1n, height + 2n].map((one) => read('eth_getBlockByNumber', `0x${one.toString(16)}`, false)),
      );
      expect([await number('eth_chainId'), await number('eth_blockNumber')]).toEqual([137n, height + 2n]);
      expect(child?.['parentHash']).toBe(parent?.['hash']);
      expect(Number(child?.['timestamp'])).toBeGreaterThan(Number(parent?.['timestamp']));
      expect(await read('eth_getBlockByHash', child?.['hash'], false)).toEqual(child);
      expect(await read('eth_getBlockByNumber', '0xffffff', false)).toBeNull();
    });

    it('keep their state: what was, can be asked later', async () => {
      const height = `0x${(await number('eth_blockNumber')).toString(16)}`;
      await send(await signed(alice, { nonce: 0, to: bob.address, value: 5n }));
      await chain.mine(1);
      expect(await number('eth_getBalance', bob.address, height)).toBe(0n);
      expect(await number('eth_getBalance', bob.address, 'latest')).toBe(5n);
    });
  });

  describe('a transaction', () => {
    it('waits, is mined, and tells of itself in a receipt and in logs', async () => {
      const raw = await signed(alice, { nonce: 0, to: wbtc, data: transferring(bob.address, 7n) });
      const hash = await send(raw);
      expect(await read('eth_getTransactionReceipt', hash)).toBeNull();
      expect(await read('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null, blockNumber: null });
      expect(await number('eth_getTransactionCount', alice.address, 'latest')).toBe(0n);
      expect(await number('eth_getTransactionCount', alice.address, 'pending')).toBe(1n);
      await chain.mine(1);
      const block = await read('eth_getBlockByNumber', 'latest', false);
      const place = { blockHash: block?.['hash'], blockNumber: block?.['number'], transactionIndex: '0x0' };
      const receipt = await read('eth_getTransactionReceipt', hash);
      expect(receipt).toMatchObject({ ...place, transactionHash: hash, status: '0x1' });
      expect(BigInt(receipt?.['effectiveGasPrice'] as string)).toBe(parseGwei('100'));
      expect(await read('eth_getTransactionByHash', hash)).toMatchObject({ hash, ...place });
      const filter = {
        address: wbtc,
        topics: [transfer, `0x${alice.address.slice(2).toLowerCase().padStart(64, '0')}`],
      };
      const logs = (await chain.call('eth_getLogs', { ...filter, fromBlock: '0x0', toBlock: 'latest' })) as Json[];
      expect(logs).toEqual(receipt?.['logs']);
      expect(logs).toMatchObject([{ ...place, transactionHash: hash, data: `0x${'7'.padStart(64, '0')}` }]);
      expect(await chain.call('eth_getLogs', { ...filter, blockHash: block?.['hash'] })).toEqual(logs);
      expect(await chain.call('eth_getLogs', { ...filter, address: bob.address, fromBlock: '0x0' })).toEqual([]);
    });

    it('that reverts is mined all the same, without logs, and costs its gas', async () => {
      const before = await number('eth_getBalance', alice.address, 'latest');
      const hash = await send(await signed(alice, { nonce: 0, to: wbtc, data: transferring(bob.address, 1_001n) }));
      await chain.mine(1);
      const receipt = await read('eth_getTransactionReceipt', hash);
      expect(receipt).toMatchObject({ status: '0x0', logs: [] });
      const cost = BigInt(receipt?.['gasUsed'] as string) * parseGwei('100');
      expect(await number('eth_getBalance', alice.address, 'latest')).toBe(before - cost);
    });

    it('is refused with a nonce that was used, without the money, known already, and as no transaction', async () => {
      const first = await signed(alice, { nonce: 0, to: bob.address, value: 1n });
      await send(first);
      expect((await failure('eth_sendRawTransaction', first)).message).toContain('already');
      await chain.mine(1);
      const used = await signed(alice, { nonce: 0, to: bob.address, value: 2n });
      const poor = await signed(alice, { nonce: 1, to: bob.address, value: parseEther('11') });
      expect((await failure('eth_sendRawTransaction', used)).message).toContain('nonce too low');
      expect((await failure('eth_sendRawTransaction', poor)).message).toContain('insufficient funds');
      expect((await failure('eth_sendRawTransaction', '0x1234')).message).not.toBe('it succeeded');
    });

    it('waits for the nonces before its own', async () => {
      const second = await send(await signed(alice, { nonce: 1, to: bob.address, value: 2n }));
      await chain.mine(1);
      expect(await read('eth_getTransactionReceipt', second)).toBeNull();
      expect(await number('eth_getTransactionCount', alice.address, 'pending')).toBe(0n);
      const first = await send(await signed(alice, { nonce: 0, to: bob.address, value: 1n }));
      expect(await number('eth_getTransactionCount', alice.address, 'pending')).toBe(2n);
      await chain.mine(1);
      const receipts = [first, second].map((hash) => read('eth_getTransactionReceipt', hash));
      expect(await Promise.all(receipts)).toMatchObject([{ status: '0x1' }, { status: '0x1' }]);
    });

    it('gives way to a dearer one of its nonce, and to none that pays as much', async () => {
      const cheap = await send(await signed(alice, { nonce: 0, to: bob.address, value: 1n }));
      const same = await signed(alice, { nonce: 0, to: bob.address, value: 2n });
      expect((await failure('eth_sendRawTransaction', same)).message).toContain('underpriced');
      const dear = await send(await signed(alice, { nonce: 0, to: bob.address, value: 3n, gwei: '130' }));
      expect(await read('eth_getTransactionByHash', cheap)).toBeNull();
      await chain.mine(1);
      expect(await read('eth_getTransactionReceipt', dear)).toMatchObject({ status: '0x1' });
      expect(await number('eth_getBalance', bob.address, 'latest')).toBe(3n);
    });

    it('that pays less than the base fee waits until that falls', async () => {
      const hash = await send(await signed(alice, { nonce: 0, to: bob.address, value: 1n, gwei: '40' }));
      await chain.setBaseFee(parseGwei('50'));
      await chain.mine(2);
      expect(await read('eth_getTransactionReceipt', hash)).toBeNull();
      await chain.setBaseFee(parseGwei('30'));
      await chain.mine(1);
      expect(await read('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
    });
  });

  describe('a call', () => {
    it('answers what a contract returns, and changes nothing', async () => {
      const call = { from: alice.address, to: wbtc, data: transferring(bob.address, 5n) };
      expect(await chain.call('eth_call', call, 'latest')).toBe(`0x${'1'.padStart(64, '0')}`);
      const balance = { to: wbtc, data: `0x70a08231${bob.address.slice(2).toLowerCase().padStart(64, '0')}` };
      expect(await number('eth_call', balance, 'latest')).toBe(0n);
    });

    it('that reverts says so, with the data of the error', async () => {
      const call = { from: bob.address, to: wbtc, data: transferring(alice.address, 5n) };
      for (const method of ['eth_call', 'eth_estimateGas']) {
        const { message, data } = await failure(method, call);
        expect(message).toContain('execution reverted');
        expect(data).toMatch(/^0xe450d38c/);
      }
    });

    it('is estimated at what it takes, and no more', async () => {
      const data = transferring(bob.address, 5n);
      const gas = await number('eth_estimateGas', { from: alice.address, to: wbtc, data });
      const fields = { nonce: 0, to: wbtc, data, gas };
      const hash = await send(await signed(alice, fields));
      await chain.mine(1);
      const receipt = await read('eth_getTransactionReceipt', hash);
      expect(receipt).toMatchObject({ status: '0x1' });
      expect(Number(gas)).toBeLessThan(Number(receipt?.['gasUsed']) * 1.2);
    });

    it('of an account without code returns nothing', async () => {
      expect(await chain.call('eth_call', { to: bob.address, data: '0x12345678' }, 'latest')).toBe('0x');
      expect(await chain.call('eth_getCode', bob.address, 'latest')).toBe('0x');
    });
  });

  it('what is not offered is refused', async () => {
    expect((await failure('eth_notThere')).message).toContain('not');
  });
}
