import { afterEach, expect, test, vi } from 'vitest';
import { refuse } from '../../engine/domain/errors.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';
import { providerFailure } from '../../engine/legs/provider/failures.ts';
import { gasOf } from '../../engine/quote/gas.ts';
import { priceOf } from '../../engine/runtime/networks/evm/gas.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { swapOf as swapIn } from './by-half.ts';
import { amount, destination, order, progressOf as progressIn, tokensOf } from './on-evm.ts';
import { silence, startPair, type Pair } from './pair.ts';
import type { TakeArkadeEvmProgress } from './taken.ts';
import type { LockFacts } from '../../engine/taker/halves/evm/claim/terms.ts';

// Two nodes and a chain, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair?.stop();
  await chain?.stop();
});

const hour = 3_600;
const swapOf = (id: string) => swapIn(pair, id);
const progressOf = (id: string) => progressIn<TakeArkadeEvmProgress>(pair, id);
const toEvm = (gasless = true) => order(pair, 'arkade-evm', { gasless });

let skew = 0;

async function start(): Promise<void> {
  skew = 0;
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({ world, taker: { evm: chain, skew: () => skew }, provider: { evm: chain } });
}

async function fund(id: string): Promise<void> {
  const { pay } = swapOf(id);
  pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
}

const received = () => tokensOf(pair, chain, destination);

/** The RPCs say that the account holds so much of the chain's own coin, until what it returns is called. */
function holds(port: EvmPort, wei: () => bigint): () => void {
  const { balance, sureBalance } = port;
  const isCoin = (token: Uint8Array) => token.every((byte) => byte === 0);
  const spies = [
    vi
      .spyOn(port, 'balance')
      .mockImplementation(async (token, of, least) => (isCoin(token) ? wei() : balance(token, of, least))),
    vi
      .spyOn(port, 'sureBalance')
      .mockImplementation(async (token, of) => (isCoin(token) ? wei() : sureBalance(token, of))),
  ];
  return () => spies.forEach((spy) => spy.mockRestore());
}

test('the tokens arrive through the provider, and the provider takes the coin', async () => {
  await start();
  const id = await toEvm();
  await fund(id);
  await pair.taker.until(id, 'done');
  const swap = swapOf(id);
  expect([swap.outcome, swap.get.amount, await received()]).toEqual([
    'finished',
    swap.get.amount,
    BigInt(swap.get.amount),
  ]);
  expect(swap.transactions.map(({ what, whose }) => `${what} ${whose}`)).toEqual([
    'fund you',
    'lock provider',
    'claim you',
    'claim provider',
  ]);
});

test('by its own transaction: the node claims, and nobody else is asked to', async () => {
  await start();
  pair.tampered.claimOnEvm = async () => refuse('forbidden', 'not for you');
  const id = await toEvm(false);
  await fund(id);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await received()]).toEqual(['finished', BigInt(swapOf(id).get.amount)]);
});

test('fault 148, evm: our secret is shown once we could claim by ourselves, which we do if need be', async () => {
  await start();
  const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
  let shown = 0;
  pair.tampered.claimOnEvm = async () => {
    shown += 1;
    return refuse('forbidden', 'not today');
  };
  const id = await toEvm();
  const empty = holds(port, () => 0n);
  await fund(id);
  await pair.taker.until(id, 'claiming');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([shown, pair.taker.at(id)]).toEqual([0, 'claiming']);
  // However long that takes: nobody was asked yet, who could be asked too.
  skew = 15 * 60;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([shown, pair.taker.at(id)]).toEqual([0, 'claiming']);
  empty();
  await pair.taker.until(id, 'done');
  expect([shown, swapOf(id).outcome, await received()]).toEqual([1, 'finished', BigInt(swapOf(id).get.amount)]);
});

test('fault 141, evm: no more secrets are shown than the account could claim for by itself', async () => {
  await start();
  const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
  const claims = (count: bigint, price: bigint): bigint => count * gasOf.takerClaim * price;
  let shown = 0;
  pair.tampered.claimOnEvm = async () => {
    shown += 1;
    return { txid: null };
  };
  const ids = [await toEvm(), await toEvm(), await toEvm()];
  const price = priceOf(await port.gasFees());
  let held = claims(3n, price);
  holds(port, () => held);
  for (const id of ids) await fund(id);
  for (const id of ids) await pair.taker.until(id, 'claiming');
  await vi.waitUntil(() => shown > 0, { timeout: 30_000 });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(shown).toBe(1);
  held = claims(1_000n, price);
  await vi.waitUntil(() => shown === 3, { timeout: 60_000 });
});

test('fault 169, evm: our secret is shown once our own claim costs at most an eighth of what it saves', async () => {
  await start();
  const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
  let shown = 0;
  pair.tampered.claimOnEvm = async () => {
    shown += 1;
    return { txid: null };
  };
  const id = await toEvm();
  const fees = await port.gasFees();
  // Whatever gas costs the account could pay it: it is the claim that is not worth it.
  holds(port, () => 10n ** 30n);
  const dear = vi.spyOn(port, 'gasFees').mockResolvedValue({ is: 'legacy', price: priceOf(fees) * 10n ** 9n });
  await fund(id);
  await pair.taker.until(id, 'claiming');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect([shown, pair.taker.at(id)]).toEqual([0, 'claiming']);
  dear.mockRestore();
  await vi.waitUntil(() => shown === 1, { timeout: 60_000 });
});

test('the provider vanishes before it locks: the coins come back alone after the locktime', async () => {
  await start();
  const id = await toEvm();
  await pair.provider.kill();
  await fund(id);
  await pair.taker.until(id, 'funded');
  const before = await pair.balance();
  await pair.world.advance(40 * hour);
  await pair.world.mine(6);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, (await pair.balance()) - before, await received()]).toEqual(['returned', amount, 0n]);
});

test('the provider vanishes after it locked: the node claims by itself', async () => {
  await start();
  pair.tampered.claimOnEvm = silence;
  const id = await toEvm();
  await fund(id);
  await pair.taker.until(id, 'claiming');
  await pair.provider.kill();
  await pair.world.advance(900);
  await pair.taker.until(id, 'claimed');
  expect([swapOf(id).outcome, await received()]).toEqual(['finished', BigInt(swapOf(id).get.amount)]);
});

test('fault 143, evm: a provider that is not reached is not waited for: the node claims by itself', async () => {
  await start();
  pair.tampered.claimOnEvm = async () => {
    throw providerFailure('provider-away', 'safe', 'the provider does not answer');
  };
  const id = await toEvm();
  await fund(id);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await received()]).toEqual(['finished', BigInt(swapOf(id).get.amount)]);
});

test('fault 109, evm: the wall is set back once the secret is shown: the node claims by itself', async () => {
  await start();
  pair.tampered.claimOnEvm = async () => ({ txid: '4d'.repeat(32) });
  const id = await toEvm();
  await fund(id);
  await pair.taker.until(id, 'claiming');
  await pair.provider.kill();
  skew = -3 * 24 * hour;
  await pair.world.advance(900);
  await pair.taker.until(id, 'claimed');
  expect([swapOf(id).outcome, await received()]).toEqual(['finished', BigInt(swapOf(id).get.amount)]);
});

test('fault 143, evm: a secret that nobody heard stays here once the provider has its lock back', async () => {
  await start();
  let calls = 0;
  pair.tampered.claimOnEvm = () => {
    calls += 1;
    return silence();
  };
  const id = await toEvm();
  await fund(id);
  await vi.waitUntil(() => calls > 0, { timeout: 60_000 });
  const { contracts, lock } = progressOf(id).deal.target;
  await pair.taker.kill();
  calls = 0;
  await pair.world.advance(13 * hour);
  const port = evmOf(pair.provider.ports, evmNetworkOfWorld);
  await vi.waitUntil(async () => !(await port.isActive(contracts.htlc, lock)), { timeout: 60_000, interval: 200 });
  await pair.restartTaker();
  await expect.poll(() => progressOf(id).at, { timeout: 90_000 }).not.toBe('claiming');
  expect([calls, await received()]).toEqual([0, 0n]);
});

test('the provider will not lock: it signs the refund, and the coins are back at once', async () => {
  await start();
  const id = await toEvm();
  const { pay } = swapOf(id);
  pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0') - 1n);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, await pair.balance()]).toEqual(['returned', amount - 1n]);
});

test('a lock whose time is nearly over is not claimed: the secret stays here', async () => {
  await start();
  const id = await toEvm(false);
  const { pay, provider_swap_id } = swapOf(id);
  await pair.taker.kill();
  pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
  await pair.provider.until(provider_swap_id ?? '', 'locked');
  await pair.world.advance(11 * hour + 1_200);
  await pair.restartTaker();
  await expect
    .poll(() => (progressOf(id).target as LockFacts).unsafe, { timeout: 60_000 })
    .toContain('may take its lock back');
  expect([progressOf(id).at, await received()]).toEqual(['funded', 0n]);
});
