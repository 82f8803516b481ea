import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import { approveCall, claimCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import type { EvmEvent } from '../../../engine/legs/evm/events.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmCall, EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { evmLockWatching } from '../../../engine/runtime/networks/evm/watch-locks.ts';
import type { WatchOptions } from '../../../engine/runtime/networks/watching.ts';
import { openStore } from '../../store/support.ts';
import { createEvmChain, headsOf } from '../../support/evm-chain.ts';
import { client, clientSecret, hash, network, ours, preimage, secret } from './scene.ts';

const other = 'evm:42161';
const stepMs = 50;

const ending: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
  vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await vi.advanceTimersByTimeAsync(stepMs);
    await nextTurn();
  }
}

/** A lock of ours for a client, and a node that looks at it every 10 s by itself. */
async function sceneOf(change: (honest: EvmPort) => Partial<EvmPort> = () => ({}), elsewhere: Partial<EvmPort> = {}) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n ** 18n);
  chain.give(null, client, 10n ** 18n);
  chain.give(chain.token, ours, 1_000_000n);
  const terms = {
    preimageHash: hash,
    amount: 1_000n,
    token: chain.token,
    refundAddress: accountOf(secret),
    claimAddress: client,
    timelock: 1_770_000_000n,
  };

  async function send(of: Uint8Array, call: EvmCall): Promise<void> {
    const port = chain.port(of);
    const { pending } = await port.nonces();
    const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
    await port.broadcast(port.sign({ ...call, nonce: pending, gas: 200_000n, fees }).bytes);
  }

  const contracts = { kind: 'erc20', htlc: chain.htlc, coordinator: chain.htlc } as never;
  await send(secret, approveCall(chain.token, chain.htlc, 1_000n));
  await send(secret, lockCall(contracts, terms));
  chain.mine();

  const honest = chain.port(secret);
  const count = { heads: 0, heights: 0, logs: 0 };
  const lying = { ...honest, ...change(honest) };
  const port: EvmPort = {
    ...lying,
    heads: () => {
      count.heads += 1;
      return headsOf(port);
    },
    heights: (tell) => {
      count.heights += 1;
      return lying.heights(tell);
    },
    events: (range) => {
      count.logs += 1;
      return lying.events(range);
    },
  };
  const events: EvmEvent[] = [];
  const { store, db } = openStore();
  const watching = evmLockWatching.open({
    ports: { [network]: port, [other]: { ...honest, ...elsewhere } },
    store,
    evm: () => ({ confirmations: [2, 4] }),
    deliver: (_: string, event: EvmEvent) => void events.push(event),
    onFailure: () => undefined,
    pollMs: 10_000,
    wall: () => 0,
  } as unknown as WatchOptions);
  if (watching === null) throw new Error('EVM chains are always there');
  const watchOn = (on: typeof network | typeof other) =>
    ({
      on: 'evm-lock',
      network: on,
      htlc: chain.htlc,
      hash,
      wanted: { are: 'one', key: swapKey(terms) },
      since: 0,
    }) as const;
  ending.push(async () => {
    const stopping = watching.stop();
    await pass(stepMs);
    await stopping;
    db.close();
  });
  return {
    chain,
    count,
    events,
    watch: (id: string, on: typeof network | typeof other = network) => watching.add(id, watchOn(on)),
    forget: (id: string) => watching.remove(id, watchOn(network)),
    start: () => watching.start(),
    isClaimed: () =>
      events.some((event) => event.is === 'evm.seen' && event.locks.some(({ state }) => state.is === 'redeemed')),
    async claim(): Promise<void> {
      await send(clientSecret, claimCall(contracts, terms, preimage));
      chain.mine();
    },
  };
}

it('a claim is there within a second of its block, whatever the pause between the looks', async () => {
  const scene = await sceneOf();
  scene.watch('swap');
  scene.start();
  await pass(12_300);
  await scene.claim();
  await pass(1_000);
  expect(scene.isClaimed()).toBe(true);
});

it('the logs of a block are asked for once and once more a while later, for all open swaps together', async () => {
  const scene = await sceneOf();
  for (let i = 0; i < 50; i++) scene.watch(`swap ${i}`);
  scene.start();
  await pass(11_000);
  const before = scene.count.logs;
  scene.chain.mine();
  await pass(5_000);
  expect(scene.count.logs - before).toBe(2);
});

it('a block whose logs come a moment later is read again soon, and then no more often than before', async () => {
  let hides = false;
  const scene = await sceneOf((honest) => ({
    events: async (range) => {
      const events = await honest.events(range);
      return hides ? events.filter(({ what }) => what.is === 'created') : events;
    },
  }));
  scene.watch('swap');
  scene.start();
  await pass(12_300);
  hides = true;
  await scene.claim();
  await pass(2_000);
  hides = false;
  const before = scene.count.logs;
  await pass(2_000);
  expect([scene.isClaimed(), scene.count.logs - before]).toEqual([true, 1]);
  await pass(60_000);
  expect(scene.count.logs - before).toBeLessThanOrEqual(7);
});

it('an RPC that names a new block with each answer brings about one look a second at the most', async () => {
  let height = 1_000;
  const scene = await sceneOf(() => ({
    heights: async (tell) => {
      for (let i = 0; i < 10; i++) {
        tell('liar', (height += 1));
        await new Promise((resolve) => setTimeout(resolve, 130));
      }
    },
  }));
  scene.watch('swap');
  scene.start();
  await pass(30_000);
  expect(scene.count.heads).toBeGreaterThan(20);
  expect(scene.count.heads).toBeLessThanOrEqual(31);
});

it('nothing is asked while nothing is open, nor once nothing is any more', async () => {
  const scene = await sceneOf();
  scene.start();
  await pass(20_000);
  const before = { ...scene.count };
  scene.watch('swap');
  await pass(3_000);
  const open = scene.count.heights;
  scene.forget('swap');
  await pass(20_000);
  expect([before, open > 0, scene.count.heights - open]).toEqual([{ heads: 0, heights: 0, logs: 0 }, true, 0]);
});

it('an RPC that hangs keeps no other chain waiting', async () => {
  let give = (): void => undefined;
  const hanging = new Promise<never>((_, reject) => (give = () => reject(evmFailure('evm-away', 'safe', 'late'))));
  const scene = await sceneOf(undefined, { heads: () => hanging, heights: () => hanging });
  scene.watch('swap');
  scene.watch('swap elsewhere', other);
  scene.start();
  await pass(12_300);
  await scene.claim();
  await pass(1_000);
  expect(scene.isClaimed()).toBe(true);
  give();
});

it('a lock that is buried is told of again for a change alone, and now and then', async () => {
  const scene = await sceneOf();
  scene.watch('swap');
  scene.start();
  for (let i = 0; i < 10; i++) {
    scene.chain.mine();
    await pass(1_000);
  }
  const before = scene.events.length;
  for (let i = 0; i < 40; i++) {
    scene.chain.mine();
    await pass(1_000);
  }
  expect(scene.events.length - before).toBeLessThanOrEqual(3);
});
