import { afterEach, expect, test, vi } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
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
const amount = 50_000n;

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain } as const;
  pair = await startPair({ world, taker: node, provider: node });
}

async function toArkade(gasless = true): Promise<string> {
  const created = await pair.taker.taker.create({
    direction: 'evm-arkade',
    amount: sats(amount),
    invoice: null,
    evm: { chainId: 137, token: null, destination: null, gasless },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  return created.id;
}

function swapOf(id: string): TakerSwap {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  return swap;
}

function locktimeOf(id: string): number {
  const progress = pair.taker.runtime.workingSet.readable(id)?.row.progress as TakeEvmArkadeProgress;
  if (!('deal' in progress)) throw new Error(`the swap is ${progress.at}`);
  return progress.deal.target.vhtlc.refundLocktime;
}

const coin = `0x${'00'.repeat(20)}`;
const pegged = () => chain.endpoints.tokens[0]?.address ?? '';

/** Brings the tokens to the account that the swap shows; what it holds after that is asked of the chain. */
async function bring(id: string): Promise<() => Promise<bigint>> {
  const { pay } = swapOf(id);
  const account = pay?.text ?? '';
  // The token takes no signature: the account pays for its approval by itself.
  await chain.give(account, coin, 10n ** 18n);
  await chain.give(account, pegged(), BigInt(pay?.amount ?? '0'));
  const address = (text: string) => asEvmAddress(fromHex(text.slice(2).toLowerCase()));
  return () => evmOf(pair.taker.ports, evmNetworkOfWorld).balance(address(pegged()), address(account));
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
