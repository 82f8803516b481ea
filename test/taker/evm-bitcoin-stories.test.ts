import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { swapOf as swapIn } from './by-half.ts';
import { amount, bring as bringTo, order, progressOf as progressIn } from './on-evm.ts';
import { silent, startPair, type Pair } from './pair.ts';
import type { TakeEvmBitcoinProgress } from './taken.ts';

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
const progressOf = (id: string) => progressIn<TakeEvmBitcoinProgress>(pair, id);
const bring = (id: string) => bringTo(pair, chain, id);
const toBitcoin = (gasless = true) => order(pair, 'evm-bitcoin', { gasless });
/** Most that our claim may have cost. */
const mostFee = 3_000n;

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain, bitcoinWallet: true } as const;
  pair = await startPair({ world, taker: node, provider: node });
  await deposit({ world, node: pair.provider }, 1_000_000);
}

/** What lies in the taker's Bitcoin wallet, in blocks. */
async function bitcoins(): Promise<bigint> {
  return (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;
}

async function minedUntil(id: string, ...states: string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        if (states.includes(pair.taker.at(id))) return true;
        await pair.world.mine(1);
        return false;
      },
      { timeout: 90_000, interval: 200, message: `${states.join()}, not ${pair.taker.at(id)}` },
    )
    .toBe(true);
}

test.each([true, false])('the bitcoin arrives, and the provider has the tokens (gasless %s)', async (gasless) => {
  await start();
  const id = await toBitcoin(gasless);
  const held = await bring(id);
  await minedUntil(id, 'claimed');
  const arrived = await bitcoins();
  expect([swapOf(id).outcome, await held(), arrived <= amount && arrived > amount - mostFee]).toEqual([
    'finished',
    0n,
    true,
  ]);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'claimed');
});

test('the provider comes too late to pay: both sign, and the tokens are back at once', async () => {
  await start();
  const id = await toBitcoin(false);
  await pair.provider.kill();
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  await pair.world.advance(4 * hour);
  await pair.world.mine(12);
  await pair.restartProvider();
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held(), await bitcoins()]).toEqual([
    'returned',
    BigInt(swapOf(id).give.amount),
    0n,
  ]);
});

test('the provider vanishes before it pays: from the timelock on the tokens come back alone', async () => {
  await start();
  const id = await toBitcoin(false);
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  await pair.world.advance(60 * hour);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held(), await bitcoins()]).toEqual([
    'returned',
    BigInt(swapOf(id).give.amount),
    0n,
  ]);
});

test('the provider vanishes after it paid: the node that was killed between claims all the same', async () => {
  await start();
  const id = await toBitcoin();
  await bring(id);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'locked');
  await pair.restartTaker();
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  await minedUntil(id, 'claiming');
  await pair.restartTaker();
  await minedUntil(id, 'claimed');
  const arrived = await bitcoins();
  expect([swapOf(id).outcome, arrived <= amount && arrived > amount - mostFee]).toEqual(['finished', true]);
});

test('it wakes when the coin is nearly over: the secret stays here, and the tokens come back', async () => {
  await start();
  const id = await toBitcoin(false);
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  const refundLocktime = locktimeOf(progressOf(id).deal.target.htlc);
  await pair.provider.until(swapOf(id).provider_swap_id ?? '', 'locked');
  await pair.taker.kill();
  await pair.world.advance(refundLocktime - pair.world.now() - hour);
  await pair.world.mine(12);
  await pair.restartTaker();
  await expect.poll(() => swapOf(id).reason, { timeout: 60_000 }).toBe('lock-unsafe');
  await pair.world.advance(60 * hour);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await held(), await bitcoins()]).toEqual([
    'returned',
    BigInt(swapOf(id).give.amount),
    0n,
  ]);
});

test('a reorganisation takes the coin out of every mempool with our claim: both are sent again', async () => {
  await start();
  const id = await toBitcoin();
  await bring(id);
  await minedUntil(id, 'claiming');
  const { bitcoin } = pair.world;
  const shown = () => {
    const progress = progressOf(id);
    return progress.at === 'claiming' && progress.target.shown ? progress.target : null;
  };
  await expect.poll(shown, { timeout: 60_000 }).not.toBeNull();
  const { outpoint } = shown()?.coin ?? { outpoint: { txid: '', vout: 0 } };
  await pair.provider.kill();
  Object.assign(pair.tampered, silent);
  const { height = null } = bitcoin.transaction(outpoint.txid) ?? {};
  const depth = bitcoin.tip().height - (height ?? 0) + 1;
  // Dearer mempools take neither of them alone: ours has to pay for both.
  bitcoin.setMempoolMinimum(4);
  bitcoin.setFeeRate(4);
  bitcoin.reorg(depth, [outpoint.txid, bitcoin.spend(outpoint)?.txid ?? '']);
  await expect.poll(() => bitcoin.spend(outpoint) !== undefined, { timeout: 60_000 }).toBe(true);
  await minedUntil(id, 'claimed');
  const arrived = await bitcoins();
  expect([depth >= 2, swapOf(id).outcome, arrived <= amount && arrived > amount - mostFee]).toEqual([
    true,
    'finished',
    true,
  ]);
});
