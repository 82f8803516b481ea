import { toHex as hexOf } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import type { LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import {
  hashOf,
  lockDirectly,
  openErc20,
  redeem,
  refund,
  type Erc20World,
  type Lock,
} from '../../contracts/kit/erc20.ts';
import { startEvmProxy, type EvmAnswer, type EvmLie, type EvmProxy } from '../../support/evm-proxy.ts';

const key = new Uint8Array(32).fill(0x77);
const gwei = 1_000_000_000;
const decimals = '0x313ce567';
const nobody = asEvmAddress(fromHex('0b'.repeat(20)));

let world: Erc20World;
let first: EvmProxy;
let second: EvmProxy;

beforeAll(async () => {
  world = await openErc20(137, gwei);
  await world.chain.setBalance(hexOf(accountOf(key)), 10n ** 20n);
  await world.chain.rpc('anvil_mine', ['0x28']);
  first = await startEvmProxy(world.chain.url);
  second = await startEvmProxy(world.chain.url);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await world.chain.stop();
});
beforeEach(() => {
  for (const proxy of [first, second]) {
    proxy.behave(() => null);
    proxy.calls.length = 0;
  }
});

function connect(...proxies: readonly EvmProxy[]): EvmPort {
  return connectEvm({
    chainId: 137,
    rpc: proxies.map(({ url }) => url),
    key,
    boundTo: null,
    wall: () => Math.floor(Date.now() / 1_000),
  });
}

/** One method is answered so, all others honestly. */
function on(method: string, answer: EvmAnswer | ((honest: unknown, params: readonly unknown[]) => unknown)): EvmLie {
  return async (called, params, honest) => {
    if (called !== method) return null;
    return typeof answer === 'function' ? { result: answer(await honest(), params) } : answer;
  };
}

const all =
  (answer: EvmAnswer): EvmLie =>
  () =>
    answer;
const bytes = (address: string): EvmAddress => asEvmAddress(fromHex(address.slice(2)));
const htlc = (): EvmAddress => bytes(world.htlc.address);
const mine = (blocks: number) => world.chain.rpc('anvil_mine', [hexOf(blocks)]);
const height = async (): Promise<number> => Number(await world.chain.client.getBlockNumber({ cacheTime: 0 }));
const simulations: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas']);
const nativeCoin = asEvmAddress(new Uint8Array(20));

function termsOf(lock: Lock): LockTerms {
  return {
    preimageHash: asSha256(fromHex(hashOf(lock).slice(2))),
    amount: lock.amount,
    token: bytes(lock.token),
    refundAddress: bytes(lock.refundAddress),
    claimAddress: bytes(lock.claimAddress),
    timelock: lock.timelock,
  };
}

async function lockAndClaim(): Promise<{ lock: Lock; from: number; to: number }> {
  const from = (await height()) + 1;
  const lock = await lockDirectly(world);
  await world.chain.send(redeem(world, lock));
  return { lock, from, to: await height() };
}

/** The transaction of the last block. */
async function lastTransaction(): Promise<string> {
  const { transactions } = await world.chain.client.getBlock();
  return (transactions[0] as string).slice(2);
}

const names = async (port: EvmPort, from: number, to: number) =>
  (await port.events({ htlc: htlc(), from, to })).map(({ what }) => what.is);

describe('one that does not answer', () => {
  it('is passed over: a refused connection, an error under HTTP 200, another status, no JSON-RPC', async () => {
    const away = await startEvmProxy(world.chain.url);
    await away.stop();
    expect(await connect(away, second).balance(nativeCoin, nobody)).toBe(0n);
    for (const answer of [
      { error: { code: -32_603, message: 'internal error' } },
      { status: 502 },
      { status: 401 },
      { result: undefined },
      { result: 'nothing' },
    ] as const) {
      first.behave(on('eth_getBalance', answer));
      expect(await connect(first, second).balance(nativeCoin, nobody)).toBe(0n);
      await expect(connect(first).balance(nativeCoin, nobody)).rejects.toMatchObject({
        code: expect.stringMatching(/^evm-(away|unclear|unauthorized)$/) as string,
        retry: 'safe',
      });
    }
  });

  it('has five seconds, and is asked last from then on', async () => {
    const port = connect(first, second);
    await port.tip();
    first.behave(all('silence'));
    const started = performance.now();
    expect(await port.balance(nativeCoin, nobody)).toBe(0n);
    expect(performance.now() - started).toBeGreaterThan(4_900);
    const again = performance.now();
    expect(await port.balance(nativeCoin, nobody)).toBe(0n);
    expect(performance.now() - again).toBeLessThan(4_000);
  }, 15_000);

  it('fault 38, evm: is left alone when it wants fewer questions, even as the only one', async () => {
    for (const answer of [
      { status: 429 },
      { error: { code: -32_005, message: 'Your app has exceeded its compute units per second capacity' } },
    ] as const) {
      const port = connect(first);
      await port.tip();
      first.behave(all(answer));
      await expect(port.balance(nativeCoin, nobody)).rejects.toMatchObject({ code: 'evm-away' });
      const calls = first.calls.length;
      await expect(port.balance(nativeCoin, nobody)).rejects.toMatchObject({ code: 'evm-away' });
      expect(first.calls.length).toBe(calls);
      first.behave(() => null);
    }
  });
});

it('fault 258, evm: says too little of a balance or an allowance, and the next one is asked', async () => {
  const account = accountOf(key);
  const coins = 10n ** 20n;
  const token = bytes(world.btc.address);
  const port = connect(first, second);
  first.behave(on('eth_getBalance', { result: '0x0' }));
  // Where nobody says enough the first word stands.
  expect([
    await port.balance(nativeCoin, account),
    await port.balance(nativeCoin, account, coins),
    await port.balance(nativeCoin, account, coins + 1n),
  ]).toEqual([0n, coins, 0n]);
  second.behave(on('eth_call', { result: `0x${'7'.padStart(64, '0')}` }));
  expect([
    await port.allowance(token, account, nobody),
    await port.allowance(token, account, nobody, 7n),
    await port.allowance(token, account, nobody, 8n),
  ]).toEqual([0n, 7n, 0n]);
});

it('fault 283, evm: says too much or too little of a balance, and what enough of them say is sure', async () => {
  const account = accountOf(key);
  const coins = 10n ** 20n;
  const held = async (...proxies: readonly EvmProxy[]) => connect(...proxies).sureBalance(nativeCoin, account);
  const words: bigint[][] = [];
  for (const lie of ['0x0', `0x${'f'.repeat(40)}`]) {
    first.behave(on('eth_getBalance', { result: lie }));
    words.push([await held(first, second), await held(first, second, second)]);
  }
  expect(words).toEqual([
    [0n, coins],
    [coins, coins],
  ]);
  first.behave(on('eth_getBalance', { status: 502 }));
  expect([await held(first, second), await held(second)]).toEqual([coins, coins]);
});

it('fault 320, evm: says too much or too little of an allowance, and what enough of them say is sure', async () => {
  const token = bytes(world.btc.address);
  const word = (units: number) => ({ result: `0x${`${units}`.padStart(64, '0')}` });
  const allowed = async (...proxies: readonly EvmProxy[]) =>
    connect(...proxies).sureAllowance(token, accountOf(key), nobody);
  second.behave(on('eth_call', word(5)));
  const words: bigint[][] = [];
  for (const lie of [0, 9]) {
    first.behave(on('eth_call', word(lie)));
    words.push([await allowed(first, second), await allowed(first, second, second)]);
  }
  expect(words).toEqual([
    [0n, 5n],
    [5n, 5n],
  ]);
});

it('fault 297, evm: counts the transactions of another account alone, and nobody backs its word', async () => {
  const account = accountOf(new Uint8Array(32).fill(0x78));
  const counted = async (...proxies: readonly EvmProxy[]) => connect(...proxies).minedOf(account);
  first.behave(on('eth_getTransactionCount', { result: '0x5' }));
  const both = await counted(first, second);
  second.behave(on('eth_getTransactionCount', { status: 502 }));
  expect([both, await counted(first, second), await counted(first)]).toEqual([
    { mined: 0 },
    { mined: 5, alone: true },
    { mined: 5 },
  ]);
});

describe('one that is on another chain', () => {
  it('fault 36, evm: is not believed, and named, while the others are', async () => {
    first.behave(on('eth_chainId', { result: '0x1' }));
    const port = connect(first, second);
    expect(await port.identity()).toMatchObject({ chainId: 137 });
    await port.tip();
    expect(port.disagreement()).toMatch(/is on chain 1, this node is on chain 137/);
    await expect(connect(first).tip()).rejects.toMatchObject({ code: 'other-network' });
  });

  it('is noticed when it comes back as another one', async () => {
    const port = connect(first);
    const { height: before } = await port.tip();
    first.behave(all({ status: 503 }));
    await expect(port.tip()).rejects.toMatchObject({ code: 'evm-away' });
    first.behave(on('eth_chainId', { result: '0x1' }));
    await expect(port.balance(nativeCoin, nobody)).rejects.toMatchObject({ code: 'other-network' });
    first.behave(() => null);
    expect((await port.tip()).height).toBe(before);
  });

  it('with another first block makes the chain unusable, unless it is settled which one is meant', async () => {
    const genesis = (await world.chain.client.getBlock({ blockNumber: 0n })).hash.slice(2);
    first.behave((method, params, honest) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x0'
        ? honest().then((block) => ({ result: { ...(block as object), hash: `0x${'ee'.repeat(32)}` } }))
        : null,
    );
    await expect(connect(first, second).identity()).rejects.toMatchObject({ code: 'evm-disagreement' });
    const port = connect(second, first);
    first.behave(() => null);
    await port.identity();
    first.behave((method, params, honest) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x0'
        ? honest().then((block) => ({ result: { ...(block as object), hash: `0x${'ee'.repeat(32)}` } }))
        : null,
    );
    expect(await port.identity()).toEqual({ chainId: 137, genesis });
    const options = { chainId: 137, rpc: [first.url, second.url], key, wall: () => 0 };
    expect(await connectEvm({ ...options, boundTo: genesis }).identity()).toEqual({ chainId: 137, genesis });
  });
});

describe('the tip', () => {
  const lower =
    (blocks: number): EvmLie =>
    async (method, params, honest) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { result: await world.chain.rpc('eth_getBlockByNumber', [hexOf((await height()) - blocks), false]) }
        : (void honest, null);

  it('fault 36, evm: stays when its only RPC lags or jumps back, by whichever distance', async () => {
    const port = connect(first);
    const tip = await port.tip();
    for (const blocks of [1, 20]) {
      first.behave(lower(blocks));
      expect(await port.tip()).toEqual(tip);
    }
    await mine(3);
    expect((await port.tip()).height).toBe(tip.height);
    first.behave(() => null);
    expect((await port.tip()).height).toBe(tip.height + 3);
  });

  it('goes to the other branch of a reorganisation, of the same height and of a lower one', async () => {
    const port = connect(first);
    for (const blocks of [5, 2]) {
      const snapshot = await world.chain.snapshot();
      let before = await port.tip();
      for (let i = 0; i < 5; i++) {
        await mine(1);
        before = await port.tip();
      }
      await world.chain.goBack(snapshot);
      await world.chain.moveTo((await world.chain.now()) + 100n);
      if (blocks > 1) await mine(blocks - 1);
      const after = await port.tip();
      expect(after.hash).not.toBe(before.hash);
      expect(after.height).toBe(before.height - 5 + blocks);
    }
  });

  it('is the lowest of those that are in step, so that none alone makes a block look buried', async () => {
    await mine(10);
    second.behave(lower(4));
    const port = connect(first, second);
    expect((await port.tip()).height).toBe((await height()) - 4);
    expect(port.disagreement()).toBeNull();
  });

  it('is not dragged away by one that is absurdly far ahead, which is named', async () => {
    first.behave(async (method, params, honest) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { result: { ...((await honest()) as object), number: '0x3b9aca00' } }
        : null,
    );
    const port = connect(first, second);
    expect((await port.tip()).height).toBe(await height());
    expect(port.disagreement()).toMatch(/one of them stands still or is on a chain of its own/);
    const sole = connect(second);
    await sole.tip();
    second.behave(on('eth_getBlockByNumber', (block) => ({ ...(block as object), number: '0x3b9aca00' })));
    await expect(sole.tip()).rejects.toMatchObject({ code: 'evm-unclear' });
  });

  it.each([-1, 0, 1])(
    'fault 36, evm: keeps its time when one says a later year, %i blocks from the others',
    async (blocks) => {
      await mine(2);
      const { time } = await connect(second).tip();
      const block = (await world.chain.rpc('eth_getBlockByNumber', [
        hexOf((await height()) + Math.min(0, blocks)),
        false,
      ])) as object;
      first.behave(async (method, params) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { result: { ...block, number: hexOf((await height()) + blocks), timestamp: hexOf(time + 31_536_000) } }
          : null,
      );
      for (const port of [connect(first, second), connect(second, first)]) {
        expect((await port.tip()).time).toBe(time);
        expect(port.disagreement()).toMatch(/one of them stands still or is on a chain of its own/);
      }
    },
  );

  it('with different blocks below it is a disagreement', async () => {
    await mine(20);
    second.behave(async (method, params, honest) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest' && params[0] !== '0x0'
        ? { result: { ...((await honest()) as object), hash: `0x${'ee'.repeat(32)}` } }
        : null,
    );
    const port = connect(first, second);
    await port.tip();
    expect(port.disagreement()).toMatch(/have different blocks at height \d+: one of them is on a branch, or lies\.$/);
  });
});

describe('what two must agree on', () => {
  it('is believed from both, and from a single one that is configured alone', async () => {
    const { lock } = await lockAndClaim();
    const txid = await lastTransaction();
    for (const port of [connect(first), connect(first, second)]) {
      expect(await port.receipt(txid, { agreed: true })).toMatchObject({ ok: true });
      expect(await port.isActive(htlc(), termsOf(lock), { agreed: true })).toBe(false);
    }
  });

  it('is nothing while one says otherwise, in any fact', async () => {
    await lockAndClaim();
    const txid = await lastTransaction();
    for (const lie of [
      { status: '0x0' },
      { blockHash: `0x${'ee'.repeat(32)}` },
      { blockNumber: '0x1' },
      { gasUsed: '0x1' },
      { logs: [] },
    ]) {
      second.behave(on('eth_getTransactionReceipt', (receipt) => ({ ...(receipt as object), ...lie })));
      await expect(connect(first, second).receipt(txid, { agreed: true })).rejects.toMatchObject({
        code: 'evm-disagreement',
        retry: 'safe',
      });
    }
    second.behave(on('eth_getTransactionReceipt', { result: null }));
    await expect(connect(first, second).receipt(txid, { agreed: true })).rejects.toMatchObject({
      code: 'evm-disagreement',
    });
  });

  it('is not mined as far as is known while one of two says so, whichever is asked first', async () => {
    await lockAndClaim();
    const txid = await lastTransaction();
    const waiting = 'ab'.repeat(32);
    second.behave(on('eth_getTransactionReceipt', { result: null }));
    for (const port of [connect(first, second), connect(second, first)]) expect(await port.receipt(txid)).toBeNull();
    const receipt = await world.chain.rpc('eth_getTransactionReceipt', [`0x${txid}`]);
    second.behave(
      on('eth_getTransactionReceipt', { result: { ...(receipt as object), transactionHash: `0x${waiting}` } }),
    );
    for (const port of [connect(first, second), connect(second, first)]) expect(await port.receipt(waiting)).toBeNull();
  });

  it('is unknown while one is silent: its silence is no consent', async () => {
    await lockAndClaim();
    const txid = await lastTransaction();
    second.behave(all({ status: 503 }));
    const port = connect(first, second);
    expect(await port.receipt(txid)).toMatchObject({ ok: true });
    await expect(port.receipt(txid, { agreed: true })).rejects.toMatchObject({ code: 'evm-away', retry: 'safe' });
  });
});

describe('events', () => {
  it('fault 36, evm: a preimage brings its lock with it, a refund has to be in the logs of both', async () => {
    const { from, to } = await lockAndClaim();
    const port = connect(first, second);
    const lock = await lockDirectly(world, { timelock: (await world.chain.now()) + 10n });
    await world.chain.moveTo(lock.timelock);
    await world.chain.send(refund(world, lock));
    const end = await height();
    expect(await names(port, from, end)).toEqual(['created', 'redeemed', 'created', 'refunded']);
    for (const proxy of [first, second]) {
      proxy.behave(on('eth_getLogs', { result: [] }));
      expect(await names(port, from, to)).toEqual(['created', 'redeemed']);
      expect(await names(port, to + 1, end)).toEqual(['created']);
      proxy.behave(() => null);
    }
  });

  it('fault 356, evm: show the preimage that fits, whatever one RPC puts in its place', async () => {
    const { from, to, lock } = await lockAndClaim();
    const isClaim = ({ topics }: { topics?: unknown }) => Array.isArray(topics) && topics.length === 3;
    const lie = (logs: unknown) =>
      (logs as object[]).map((log) => (isClaim(log) ? { ...log, data: `0x${'44'.repeat(32)}` } : log));
    first.behave(on('eth_getLogs', lie));
    for (const port of [connect(first, second), connect(second, first)]) {
      const events = await port.events({ htlc: htlc(), from, to });
      expect(events.map(({ what }) => what)).toMatchObject([
        { is: 'created' },
        { is: 'redeemed', preimage: fromHex(lock.preimage.slice(2)) },
      ]);
    }
    expect(await names(connect(first), from, to)).toEqual(['created']);
  });

  it('that one hides in buried blocks are a disagreement', async () => {
    const { from, to } = await lockAndClaim();
    await mine(20);
    second.behave(on('eth_getLogs', { result: [] }));
    const port = connect(first, second);
    await port.tip();
    await names(port, from, to);
    expect(port.disagreement()).toMatch(/lacks a log of block \d+ that another one has/);
  });

  it('that one RPC makes up are left out, however often it tells them', async () => {
    const lock = await lockDirectly(world, { timelock: (await world.chain.now()) + 10n });
    await world.chain.moveTo(lock.timelock);
    const before = await world.chain.snapshot();
    await world.chain.send(refund(world, lock));
    const to = await height();
    const logs = await world.chain.rpc('eth_getLogs', [
      { fromBlock: hexOf(to), toBlock: hexOf(to), address: world.htlc.address },
    ]);
    await world.chain.goBack(before);
    await mine(1);
    first.behave(on('eth_getLogs', { result: [...(logs as object[]), ...(logs as object[])] }));
    expect(await names(connect(first, second), to, to)).toEqual([]);
    expect(await names(connect(second, first), to, to)).toEqual([]);
  });

  it('fault 38, evm: are asked for in ranges that the RPC takes, and none is missing at their seams', async () => {
    const from = await height();
    const locks: Lock[] = [];
    for (let i = 0; i < 4; i++) {
      locks.push(await lockDirectly(world));
      await mine(5);
    }
    const to = await height();
    first.behave((method, params) => {
      if (method !== 'eth_getLogs') return null;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const message = 'query exceeds max block range 7';
      return Number(toBlock) - Number(fromBlock) >= 7 ? { error: { code: -32_005, message } } : null;
    });
    const [oldest] = await connect(second).events({ htlc: htlc(), from, to });
    const events = await connect(first).events({ htlc: htlc(), from: oldest?.height ?? 0, to });
    expect(events.map(({ preimageHash }) => hexOf(preimageHash))).toEqual(locks.map(hashOf));
  });

  it('of a range that only a lagging RPC answers are unknown, not absent', async () => {
    const { from, to } = await lockAndClaim();
    first.behave(all({ status: 503 }));
    second.behave(async (method, params) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { result: await world.chain.rpc('eth_getBlockByNumber', [hexOf(from - 1), false]) }
        : null,
    );
    await expect(names(connect(first, second), from, to)).rejects.toMatchObject({ code: 'evm-away' });
  });

  it('fault 38, evm: that an RPC has forgotten are told by a code of their own', async () => {
    first.behave(on('eth_getLogs', { error: { code: 4_444, message: 'pruned history unavailable' } }));
    await expect(names(connect(first), 1, 1)).rejects.toMatchObject({ code: 'evm-pruned' });
  });
});

describe('gas', () => {
  const fees =
    (factor: (wei: bigint) => bigint): EvmLie =>
    async (method, _params, honest) => {
      const tip = hexOf(factor(BigInt(gwei)));
      if (method === 'eth_maxPriorityFeePerGas') return { result: tip };
      if (method !== 'eth_feeHistory') return null;
      const { baseFeePerGas } = (await honest()) as { baseFeePerGas: string[] };
      return { result: { baseFeePerGas: baseFeePerGas.map((fee) => hexOf(factor(BigInt(fee)))), reward: [[tip]] } };
    };
  const most = async (port: EvmPort): Promise<bigint> => {
    const price = await port.gasFees();
    return price.is === 'dynamic' ? price.most : price.price;
  };

  it('fault 59, evm: of a spike that both tell of is believed, of one liar it is not', async () => {
    first.behave(fees((wei) => wei));
    second.behave(fees((wei) => wei));
    const port = connect(first, second);
    const usual = await most(port);
    for (const factor of [(wei: bigint) => wei * 10_000n, () => 0n, (wei: bigint) => wei / 1_000n]) {
      second.behave(fees(factor));
      expect(await most(port)).toBe(usual);
    }
    first.behave(fees((wei) => wei * 50n));
    second.behave(fees((wei) => wei * 50n));
    expect(await most(port)).toBe(usual * 50n);
  });

  it('fault 59, evm: that nobody ever paid is no answer', async () => {
    first.behave(fees((wei) => wei * 10n ** 9n));
    await expect(connect(first).gasFees()).rejects.toMatchObject({ code: 'evm-unclear' });
  });

  it('costs what the receipt says, with the price in the transaction and the fee of a chain below', async () => {
    await lockAndClaim();
    const txid = await lastTransaction();
    const { cost } = (await connect(second).receipt(txid)) ?? { cost: 0n };
    first.behave(
      on('eth_getTransactionReceipt', (receipt) => {
        const { effectiveGasPrice: _price, ...rest } = receipt as Record<string, unknown>;
        return { ...rest, l1Fee: '0x64' };
      }),
    );
    expect(await connect(first).receipt(txid)).toMatchObject({ cost: cost + 100n });
  });
});

describe('what is sent', () => {
  const transfer = async (port: EvmPort) => {
    const { mined: nonce } = await port.nonces();
    const call = { to: nobody, value: 0n, data: new Uint8Array() };
    return port.sign({ ...call, nonce, gas: 21_000n, fees: await port.gasFees() }).bytes;
  };

  it('goes to every RPC, and one that takes it is enough', async () => {
    const port = connect(first, second);
    const sent = await transfer(port);
    first.behave(on('eth_sendRawTransaction', { error: { code: -32_000, message: 'no thanks' } }));
    expect(await port.broadcast(sent)).toEqual({ is: 'accepted' });
    for (const { calls } of [first, second])
      expect(calls.filter(({ method }) => method === 'eth_sendRawTransaction')).toHaveLength(1);
  });

  it('may have arrived where one is silent and nobody takes it', async () => {
    const port = connect(first, second);
    const sent = await transfer(port);
    first.behave(on('eth_sendRawTransaction', { error: { code: -32_000, message: 'no thanks' } }));
    second.behave(on('eth_sendRawTransaction', { status: 503 }));
    await expect(port.broadcast(sent)).rejects.toMatchObject({ code: 'evm-away', retry: 'ask-first' });
    second.behave(on('eth_sendRawTransaction', { result: `0x${'ee'.repeat(32)}` }));
    await expect(port.broadcast(sent)).rejects.toMatchObject({ retry: 'ask-first' });
  });

  it('is told of by the words of many nodes', async () => {
    const port = connect(first);
    const sent = await transfer(port);
    const table = {
      accepted: [
        'already known',
        'transaction already imported',
        'AlreadyKnown',
        'Known transaction',
        'INTERNAL_ERROR: existing tx with same hash',
        'pending transaction with same hash already exists',
      ],
      'nonce-used': [
        'nonce too low',
        'nonce too low: next nonce 7, tx nonce 6',
        'OldNonce',
        'transaction nonce too low',
      ],
      underpriced: [
        'transaction underpriced',
        'replacement transaction underpriced',
        'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 2',
        'INTERNAL_ERROR: could not replace existing tx',
        'FeeTooLow, EffectivePriorityFeePerGas too low',
        'ReplacementNotAllowed',
        'Gas price below configured minimum gas price',
        'txpool is full',
      ],
      refused: [
        'insufficient funds for gas * price + value',
        'intrinsic gas too low',
        'nonce too high',
        'sender is an EOA',
      ],
    };
    for (const [is, words] of Object.entries(table))
      for (const message of words) {
        first.behave(on('eth_sendRawTransaction', { error: { code: -32_000, message } }));
        expect({ message, ...(await port.broadcast(sent)) }).toMatchObject({ message, is });
      }
  });

  it('is simulated by both: one that says no does not keep it back', async () => {
    const port = connect(first, second);
    const call = { to: nobody, value: 0n, data: new Uint8Array() };
    const refusing = (code: number, message: string, more?: object): EvmLie => {
      return (method) => (simulations.has(method) ? { error: { code, message, ...more } } : null);
    };
    first.behave(refusing(3, 'execution reverted', { data: '0x' }));
    expect(await port.simulate(call)).toMatchObject({ is: 'passes' });
    second.behave(refusing(-32_015, 'VM execution error.', { data: 'Reverted 0x' }));
    expect(await port.simulate(call)).toMatchObject({ is: 'reverts' });
    second.behave(refusing(-32_603, 'header not found'));
    first.behave(refusing(-32_603, 'header not found'));
    await expect(port.simulate(call)).rejects.toMatchObject({ code: 'evm-unclear' });
  });

  it('is simulated by one question, by more where a node takes no state for an estimate', async () => {
    const port = connect(first);
    const call = { to: nobody, value: 0n, data: new Uint8Array() };
    const methods = (): string[] => first.calls.map(({ method }) => method).filter((method) => simulations.has(method));
    expect(await port.simulate(call)).toEqual({ is: 'passes', gas: 21_000n });
    expect(methods()).toEqual(['eth_estimateGas']);
    first.calls.length = 0;
    const takesOne = { error: { code: -32_602, message: 'too many arguments, want at most 1' } };
    first.behave((method, params) => (method === 'eth_estimateGas' && params.length > 1 ? takesOne : null));
    expect(await port.simulate(call)).toEqual({ is: 'passes', gas: 21_000n });
    expect(methods()).toEqual(['eth_estimateGas', 'eth_call', 'eth_estimateGas']);
    first.behave(on('eth_estimateGas', { error: { code: -32_000, message: 'cannot estimate' } }));
    await expect(port.simulate(call)).rejects.toMatchObject({ code: 'evm-unclear' });
  });

  it.each(['0x1', '0xe8d4a51000'])('fault 85, evm: has the gas that an honest one estimates, not %s', async (gas) => {
    const call = { to: nobody, value: 0n, data: new Uint8Array() };
    const honest = await connect(second).simulate(call);
    first.behave(on('eth_estimateGas', { result: gas }));
    expect([await connect(first, second).simulate(call), honest]).toEqual([honest, { is: 'passes', gas: 21_000n }]);
  });

  it('fault 86, evm: a count of nonces that nobody backs is told as one word', async () => {
    first.behave(on('eth_getTransactionCount', { result: '0xf4240' }));
    second.behave(on('eth_getTransactionCount', { status: 502 }));
    expect(await connect(first, second).nonces()).toEqual({ mined: 1_000_000, pending: 1_000_000, alone: true });
    expect(await connect(first).nonces()).toEqual({ mined: 1_000_000, pending: 1_000_000 });
  });

  it('fault 69, evm: a price that two have to say is no single one’s word', async () => {
    const port = connect(first, second);
    const call = { to: bytes(world.btc.address), data: fromHex('313ce567') };
    const honest = await port.read(call, { agreed: true });
    first.behave(on('eth_call', { result: `0x${'63'.padStart(64, '0')}` }));
    await expect(port.read(call, { agreed: true })).rejects.toMatchObject({ code: 'evm-disagreement' });
    first.behave(all('silence'));
    second.behave(on('eth_call', { error: { code: 3, message: 'execution reverted', data: '0x' } }));
    await expect(connect(second).read(call, { agreed: true })).rejects.toMatchObject({ code: 'evm-reverted' });
    expect([honest.length, honest.at(-1)]).not.toContain(0x63);
  });

  it('fault 320, evm: what a contract refuses is refused, whatever words each make of node has for it', async () => {
    const call = { to: bytes(world.btc.address), data: fromHex('3644e515') };
    first.behave(on('eth_call', { error: { code: 3, message: 'execution reverted', data: '0x' } }));
    second.behave(on('eth_call', { error: { code: -32_015, message: 'VM execution error.' } }));
    await expect(connect(first, second).read(call, { agreed: true })).rejects.toMatchObject({
      code: 'evm-reverted',
      retry: 'never',
      message: expect.stringMatching(/refuses the call/),
    });
  });

  it('fault 115, evm: how many decimals a token has is no single one’s word', async () => {
    const token = bytes(world.btc.address);
    const honest = await connect(second).token(token, { agreed: true });
    expect(await connect(first, second).token(token, { agreed: true })).toEqual(honest);
    first.behave(
      on('eth_call', (answer, [call]) =>
        (call as { data?: string }).data === decimals ? `0x${'12'.padStart(64, '0')}` : answer,
      ),
    );
    await expect(connect(first, second).token(token, { agreed: true })).rejects.toMatchObject({
      code: 'evm-disagreement',
    });
    first.behave(() => null);
    await expect(connect(first, second).token(nobody, { agreed: true })).rejects.toMatchObject({ code: 'evm-unclear' });
  });

  it('has a nonce that one liar cannot raise', async () => {
    const { mined } = await connect(second).nonces();
    first.behave(on('eth_getTransactionCount', { result: '0x3e8' }));
    expect(await connect(first, second).nonces()).toEqual({ mined, pending: mined });
  });
});
