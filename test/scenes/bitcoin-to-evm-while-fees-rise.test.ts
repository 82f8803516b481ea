import { afterEach, expect, test, vi } from 'vitest';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from '../taker/pair.ts';
import type { TakeBitcoinEvmProgress } from '../taker/taken.ts';

vi.setConfig({ testTimeout: 240_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair.stop();
  await chain.stop();
});

test('a claim that would cost half of its coin waits for cheap blocks, and not past the client’s refund', async () => {
  const world = startWorld();
  const { bitcoin } = world;
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain, bitcoinWallet: true } as const;
  pair = await startPair({ world, taker: node, provider: node });
  const created = await pair.taker.taker.create({
    direction: 'bitcoin-evm',
    amount: sats(50_000n),
    invoice: null,
    evm: { chainId: 137, token: null, destination: asEvmAddress(fromHex('11'.repeat(20))), gasless: true },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await pair.taker.until(created.id, 'waiting');
  const { deal } = pair.taker.store.swaps.byId(created.id)?.progress as TakeBitcoinEvmProgress & { at: 'waiting' };
  const { source, swapId } = deal;
  // Once our lock stands: nothing would be given for the coin while it is dear.
  pair.tampered.claimOnEvm = async () => {
    bitcoin.setFeeRate(200);
    bitcoin.setMempoolMinimum(200);
    return refuse('forbidden', 'Claim it yourself.');
  };
  const coin = bitcoin.faucet(source.script, source.amount);
  if (coin === null) throw new Error('the faucet is empty');
  await world.mine(1);
  await expect.poll(() => pair.provider.at(swapId), { timeout: 90_000 }).toBe('claiming');
  const locktime = locktimeOf(source.htlc);
  const fees: number[] = [];
  for (let hour = 0; hour < 30 && pair.provider.at(swapId) === 'claiming'; hour++) {
    await world.advance(3_600);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const claim = bitcoin.spend(coin);
    if (claim !== undefined && fees.length === 0) fees.push(world.now());
  }
  await expect.poll(() => pair.provider.at(swapId), { timeout: 60_000 }).toBe('claimed');
  expect([(fees[0] ?? Infinity) < locktime, bitcoin.spend(coin) !== undefined]).toEqual([true, true]);
});
