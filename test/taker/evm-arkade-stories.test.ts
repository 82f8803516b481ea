import { afterEach, expect, test, vi } from 'vitest';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { swapOf as swapIn } from './by-half.ts';
import { amount, bring as bringTo, order, progressOf as progressIn } from './on-evm.ts';
import { silent, startPair, type Pair } from './pair.ts';
import type { TakeEvmArkadeProgress } from './taken.ts';

// Two nodes and a chain, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 120_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair?.stop();
  await chain?.stop();
});

const hour = 3_600;
const swapOf = (id: string) => swapIn(pair, id);
const bring = (id: string) => bringTo(pair, chain, id);
const toArkade = (gasless = true) => order(pair, 'evm-arkade', { gasless });

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain } as const;
  pair = await startPair({ world, taker: node, provider: node });
}

function locktimeOf(id: string): number {
  return progressIn<TakeEvmArkadeProgress>(pair, id).deal.target.vhtlc.refundLocktime;
}

/** What the swap gave is back, and nothing was bought. */
async function isBack(id: string, held: () => Promise<bigint>): Promise<void> {
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held(), await pair.balance()]).toEqual([
    'returned',
    BigInt(swapOf(id).give.amount),
    0n,
  ]);
}

test.each([true, false])('the coins arrive, and the provider has the tokens (gasless %s)', async (gasless) => {
  await start();
  const id = await toArkade(gasless);
  const held = await bring(id);
  await pair.taker.until(id, 'claimed');
  expect([swapOf(id).outcome, await held(), await pair.balance()]).toEqual(['finished', 0n, amount]);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'claimed');
});

test('the provider comes too late to lock: both sign, and the tokens are back at once', async () => {
  await start();
  const id = await toArkade(false);
  await pair.provider.kill();
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  await pair.world.advance(4 * hour);
  await pair.world.mine(12);
  await pair.restartProvider();
  await isBack(id, held);
});

test('the provider vanishes before it locks: from the timelock on the tokens come back alone', async () => {
  await start();
  const id = await toArkade(false);
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  await pair.world.advance(60 * hour);
  await isBack(id, held);
});

test('the provider vanishes after it locked: the node that was killed between claims all the same', async () => {
  await start();
  const id = await toArkade();
  await pair.taker.kill();
  await pair.restartTaker();
  await bring(id);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'locked', 'claiming', 'claimed');
  await pair.taker.kill();
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  await pair.restartTaker();
  await pair.taker.until(id, 'claimed');
  expect([swapOf(id).outcome, await pair.balance()]).toEqual(['finished', amount]);
});

test('it wakes when the VHTLC is nearly over: the secret stays here, and the tokens come back', async () => {
  await start();
  const id = await toArkade(false);
  await pair.provider.kill();
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  const [theirs, locktime] = [swapOf(id).provider_swap_id ?? '', locktimeOf(id)];
  await pair.taker.kill();
  await pair.restartProvider();
  await pair.provider.until(theirs, 'locked');
  await pair.world.advance(locktime - pair.world.now() - hour);
  await pair.world.mine(12);
  await pair.restartTaker();
  await expect.poll(() => swapOf(id).reason, { timeout: 60_000 }).toBe('lock-unsafe');
  await pair.world.advance(60 * hour);
  await isBack(id, held);
});
