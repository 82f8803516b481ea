import { spawnSync } from 'node:child_process';
import { encodeFunctionData, parseAbi, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import type { EvmChain } from '../../../engine/sandbox/world/evm/chain.ts';
import type { Journal } from '../../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import {
  type Clock,
  alice,
  balanceOf,
  bob,
  clockOfTests,
  fund,
  nonceOf,
  openChain,
  receiptOf,
  signed,
  token,
  transferring,
} from './kit.ts';

let journal: Journal;
let clock: Clock;
let chain: EvmChain;

beforeEach(async () => {
  journal = memoryJournal();
  clock = clockOfTests();
  chain = await openChain(journal, clock);
});
afterEach(() => chain.stop());

/** The programs themselves: each is the child of the shell that ends it with us. */
function anvils(): number[] {
  const childrenOf = (pid: number): number[] =>
    spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((line) => line.trim() !== '')
      .map(Number);
  const isAnvil = (pid: number): boolean =>
    spawnSync('ps', ['-o', 'comm=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim() === 'anvil';
  return childrenOf(process.pid).flatMap(childrenOf).filter(isAnvil);
}

async function again(): Promise<void> {
  await chain.stop();
  chain = await openChain(journal, clock);
}

describe('blocks', () => {
  it('have the time of the clock, and another second where it stands', async () => {
    await chain.mine(2);
    expect(chain.tip()).toMatchObject({ number: 2, timestamp: clock.seconds + 1 });
    clock.seconds += 86_400;
    await chain.follow();
    await chain.follow();
    expect(chain.tip()).toMatchObject({ number: 3, timestamp: clock.seconds });
  });

  it('keep the base fee that was set, busy or empty', async () => {
    await chain.setBaseFee(50_000_000_000n);
    await chain.mine(3);
    const { baseFeePerGas } = (await chain.call('eth_getBlockByNumber', 'latest', false)) as { baseFeePerGas: string };
    expect([BigInt(baseFeePerGas), BigInt((await chain.call('eth_gasPrice')) as string)]).toEqual([
      50_000_000_000n,
      50_000_000_000n,
    ]);
    await again();
    expect(BigInt((await chain.call('eth_gasPrice')) as string)).toBe(50_000_000_000n);
  });
});

describe('a restart', () => {
  it('brings back every block with its hash, what was mined in it, and what waits', async () => {
    await fund(chain, alice.address, '', parseEther('10'));
    await fund(chain, alice.address, 'WBTC', 500n);
    const mined = await chain.send(
      await signed(alice, { nonce: 0, to: token('WBTC'), data: transferring(bob.address, 7n) }),
    );
    clock.seconds += 2;
    await chain.mine(3);
    const waiting = await chain.send(await signed(alice, { nonce: 1, to: bob.address, value: 5n }));
    const [tip, receipt] = [chain.tip(), await receiptOf(chain, mined)];
    await again();
    expect(chain.tip()).toEqual(tip);
    expect(await receiptOf(chain, mined)).toEqual(receipt);
    expect(receipt).toMatchObject({ status: '0x1', logs: [{ address: token('WBTC').toLowerCase() }] });
    expect(await receiptOf(chain, waiting)).toBeNull();
    await chain.mine(1);
    expect(await receiptOf(chain, waiting)).toMatchObject({ status: '0x1' });
    expect(await balanceOf(chain, bob.address)).toBe(5n);
  });

  it('begins at a checkpoint when the chain is long, and can replace its last 64 blocks all the same', async () => {
    await fund(chain, alice.address, '', parseEther('1'));
    const hash = await chain.send(await signed(alice, { nonce: 0, to: bob.address, value: 1n }));
    await chain.mine(230);
    expect(chain.record.checkpoint()).toMatchObject({ number: 100 });
    expect(chain.record.blocks()).toHaveLength(chain.tip().number - 100);
    const [tip, receipt] = [chain.tip(), await receiptOf(chain, hash)];
    await again();
    expect(chain.tip()).toEqual(tip);
    expect(await receiptOf(chain, hash)).toEqual(receipt);
    await chain.reorg(64, new Set());
    expect(chain.tip().number).toBe(tip.number);
    const replaced = chain.tip();
    await again();
    expect(chain.tip()).toEqual(replaced);
  });

  it('is not needed when anvil dies: it comes back as it was', async () => {
    await fund(chain, alice.address, '', 9n);
    const tip = chain.tip();
    for (const pid of anvils()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => balanceOf(chain, alice.address).catch(() => null), { timeout: 60_000 }).toBe(9n);
    expect(chain.tip()).toEqual(tip);
    await chain.mine(1);
    expect(chain.tip().number).toBe(tip.number + 1);
  });
});

describe('a reorganisation', () => {
  it('replaces blocks by others, to the same height; what was in them waits again, or is dropped', async () => {
    await fund(chain, alice.address, '', parseEther('1'));
    await fund(chain, bob.address, '', parseEther('1'));
    const stays = await chain.send(await signed(alice, { nonce: 0, to: bob.address, value: 1n }));
    const goes = await chain.send(await signed(bob, { nonce: 0, to: alice.address, value: 1n }));
    await chain.mine(1);
    const before = [chain.tip(), await receiptOf(chain, stays)] as const;
    await chain.mine(1);
    await chain.reorg(2, new Set([goes]));
    expect(chain.tip().number).toBe(before[0].number + 1);
    expect(await chain.call('eth_getBlockByHash', before[0].hash, false)).toBeNull();
    expect(await receiptOf(chain, stays)).toBeNull();
    expect(await nonceOf(chain, alice.address)).toBe(1);
    expect(await nonceOf(chain, bob.address)).toBe(0);
    await again();
    await chain.mine(1);
    expect(await receiptOf(chain, stays)).toMatchObject({ status: '0x1' });
    expect((await receiptOf(chain, stays))?.blockHash).not.toBe(before[1]?.blockHash);
    expect(await receiptOf(chain, goes)).toBeNull();
  });

  it('of more blocks than there are is refused', async () => {
    await chain.mine(2);
    await expect(chain.reorg(3, new Set())).rejects.toThrow('The chain has only 2 blocks that can be replaced.');
  });
});

describe("the node's next transaction", () => {
  const payment = { to: token('WBTC'), data: transferring(bob.address, 7n) };

  beforeEach(async () => {
    for (const who of [alice, bob]) {
      await fund(chain, who.address, '', parseEther('1'));
      await fund(chain, who.address, 'WBTC', 100n);
    }
    chain.record.set('node', alice.address.toLowerCase());
  });

  it('reverts alone in its block, and what it called works again after it', async () => {
    chain.setNextTransaction('reverts');
    const others = await chain.send(await signed(bob, { nonce: 0, ...payment }));
    const doomed = await chain.send(await signed(alice, { nonce: 0, ...payment }));
    const next = await chain.send(await signed(alice, { nonce: 1, ...payment }));
    await chain.mine(1);
    const statuses = [others, doomed, next].map(async (hash) => (await receiptOf(chain, hash))?.status);
    expect(await Promise.all(statuses)).toEqual(['0x1', '0x0', '0x1']);
    const tip = chain.tip();
    await again();
    expect(chain.tip()).toEqual(tip);
    await chain.reorg(1, new Set());
    await chain.mine(1);
    expect(await receiptOf(chain, next)).toMatchObject({ status: '0x1' });
  });

  it('is dropped once: its hash is answered, and it can be sent again', async () => {
    chain.setNextTransaction('drops');
    const raw = await signed(alice, { nonce: 0, ...payment });
    const hash = await chain.send(raw);
    await chain.mine(1);
    expect(await chain.call('eth_getTransactionByHash', hash)).toBeNull();
    expect(await chain.send(raw)).toBe(hash);
    await chain.mine(1);
    expect(await receiptOf(chain, hash)).toMatchObject({ status: '0x1' });
  });

  it('of anybody else is left alone', async () => {
    chain.setNextTransaction('drops');
    const hash = await chain.send(await signed(bob, { nonce: 0, ...payment }));
    await chain.mine(1);
    expect(await receiptOf(chain, hash)).toMatchObject({ status: '0x1' });
  });
});

describe('the market', () => {
  const quoter = parseAbi([
    'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96)) returns (uint256, uint160, uint32, uint256)',
  ]);

  it.each([
    ['WBTC', 'USDC', 100_000_000n, 500, 60_000_000_000n],
    ['USDC', 'WBTC', 60_000_000_000n, 500, 100_000_000n],
    ['WBTC', 'tBTC', 100_000_000n, 500, parseEther('1')],
    ['WPOL', 'WBTC', parseEther('120000'), 3_000, 100_000_000n],
  ])('gives for %s the %s of the pinned price, less the fee of the pool', async (from, to, amount, fee, whole) => {
    const args = [{ tokenIn: token(from), tokenOut: token(to), amountIn: amount, fee, sqrtPriceLimitX96: 0n }] as const;
    const data = encodeFunctionData({ abi: quoter, args });
    const answer = (await chain.call('eth_call', { to: places['137'].dex.quoter, data }, 'latest')) as string;
    const lessFee = (whole * BigInt(1_000_000 - fee)) / 1_000_000n;
    const price = Number(BigInt(answer.slice(0, 66))) / Number(lessFee);
    expect(price).toBeGreaterThan(0.9999);
    expect(price).toBeLessThanOrEqual(1);
  });
});
