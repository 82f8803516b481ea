import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { refuse } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { swapOf as swapIn } from './by-half.ts';
import { destination, order, progressOf as progressIn, tokensOf } from './on-evm.ts';
import { startPair, type Pair } from './pair.ts';
import type { TakeBitcoinEvmProgress } from './taken.ts';

// Two nodes and two chains, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair?.stop();
  await chain?.stop();
});

const hour = 3_600;
const swapOf = (id: string) => swapIn(pair, id);
const deal = (id: string) => progressIn<TakeBitcoinEvmProgress>(pair, id).deal;

/** A swap whose address is shown. */
async function begin(gasless = true): Promise<string> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain, bitcoinWallet: true } as const;
  pair = await startPair({ world, taker: node, provider: node });
  const id = await order(pair, 'bitcoin-evm', { gasless });
  await expect.poll(() => swapOf(id).pay?.kind, { timeout: 60_000 }).toBe('bitcoin');
  return id;
}

async function pay(id: string, change = 0n): Promise<Outpoint> {
  const { script, amount: price } = deal(id).source;
  const coin = pair.world.bitcoin.faucet(script, sats(price + change));
  if (coin === null) throw new Error('the faucet is empty');
  await pair.world.mine(1);
  return coin;
}

/** Blocks come meanwhile. */
async function minedUntil(id: string, state: string): Promise<void> {
  await expect
    .poll(
      async () => {
        if (pair.taker.at(id) !== state) await pair.world.mine(1);
        return pair.taker.at(id);
      },
      { timeout: 90_000 },
    )
    .toBe(state);
}

async function unlock(id: string): Promise<void> {
  await pair.world.advance(locktimeOf(deal(id).source.htlc) - pair.world.now() + 2 * hour);
  await pair.world.mine(12);
}

const received = () => tokensOf(pair, chain, destination);
const bitcoins = async () => (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;

test('the tokens arrive through the provider, and the provider takes the coin', async () => {
  const id = await begin();
  const coin = await pay(id);
  await minedUntil(id, 'claimed');
  await expect.poll(() => pair.world.bitcoin.spend(coin) !== undefined, { timeout: 60_000 }).toBe(true);
  const swap = swapOf(id);
  expect([swap.outcome, await received()]).toEqual(['finished', BigInt(swap.get.amount)]);
});

test('by its own transaction: the node claims, and nobody else is asked to', async () => {
  const id = await begin(false);
  pair.tampered.claimOnEvm = async () => refuse('forbidden', 'not for you');
  const account = deal(id).target.lock.claimAddress;
  await chain.give(`0x${Buffer.from(account).toString('hex')}`, `0x${'00'.repeat(20)}`, 10n ** 18n);
  await pay(id);
  await minedUntil(id, 'claimed');
  expect([swapOf(id).outcome, await received()]).toEqual(['finished', BigInt(swapOf(id).get.amount)]);
});

test('the provider vanishes before it locks: the bitcoin comes back alone, and not before the locktime', async () => {
  const id = await begin();
  await pair.provider.kill();
  const coin = await pay(id);
  await minedUntil(id, 'funded');
  expect([swapOf(id).refund.state, pair.world.bitcoin.spend(coin)]).toEqual(['later', undefined]);
  const before = await bitcoins();
  await unlock(id);
  await minedUntil(id, 'done');
  expect([swapOf(id).outcome, await received(), (await bitcoins()) > before]).toEqual(['returned', 0n, true]);
});

test('what is short is locked for by nobody, and comes back; a second coin beside the right one too', async () => {
  const id = await begin();
  await pay(id, -1n);
  await pay(id, 0n);
  await minedUntil(id, 'funded');
  await unlock(id);
  await minedUntil(id, 'done');
  expect([swapOf(id).outcome, await received()]).toEqual(['returned', 0n]);
});
