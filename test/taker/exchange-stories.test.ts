import { afterEach, expect, test, vi } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { faucetAccount } from '../../engine/sandbox/world/evm/faucet-account.ts';
import type { TakeArkadeEvmProgress } from '../../engine/taker/arkade-evm/terms.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from './pair.ts';

// Two nodes and a chain with an exchange, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair.stop();
  await chain.stop();
});

const hour = 3_600;
const amount = 50_000n;
const destination = asEvmAddress(fromHex('11'.repeat(20)));

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({ world, taker: { evm: chain }, provider: { evm: chain } });
}

function token(symbol: string): EvmAddress {
  const of = chain.endpoints.tokens.find((one) => one.symbol === symbol);
  if (of === undefined) throw new Error(`the sandbox has no ${symbol}`);
  return asEvmAddress(fromHex(of.address.slice(2).toLowerCase()));
}

const request = (gasless = true) => ({
  ...({ direction: 'arkade-evm', amount: sats(amount), invoice: null, provider: '' } as const),
  evm: { chainId: 137, token: token('USDC'), destination, gasless },
});

async function toUsdc(gasless = true): Promise<string> {
  const created = await pair.taker.taker.create(request(gasless));
  if (isRefusal(created)) throw new Error(created.sentence);
  return created.id;
}

function swapOf(id: string): TakerSwap {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  return swap;
}

async function fund(id: string): Promise<void> {
  const { pay } = swapOf(id);
  pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
}

const received = (symbol: string) => evmOf(pair.taker.ports, evmNetworkOfWorld).balance(token(symbol), destination);

function exchange() {
  const dex = pair.taker.runtime.ports.exchanges?.(evmNetworkOfWorld) ?? null;
  if (dex === null) throw new Error('there is no exchange');
  return dex;
}

async function price(): Promise<bigint> {
  const quote = await exchange().quote({ from: token('WBTC'), to: token('USDC'), pinned: 'in', amount });
  return isRefusal(quote) ? 0n : quote.amountOut;
}

/** Somebody sells so much of a token that its price falls. */
async function sell(from: string, to: string, units: bigint): Promise<void> {
  const quote = await exchange().quote({ from: token(from), to: token(to), pinned: 'in', amount: units });
  if (isRefusal(quote)) throw new Error(quote.sentence);
  const me = asEvmAddress(fromHex(faucetAccount.address.slice(2).toLowerCase()));
  for (const { target, data } of exchange().calls(quote, 0n, me))
    await chain.call(`0x${toHex(target)}`, `0x${toHex(data)}`);
}

test('bitcoin on Arkade becomes dollars of an EVM chain, through the exchange that both know', async () => {
  await start();
  const before = await price();
  const id = await toUsdc();
  const offered = swapOf(id).get;
  await fund(id);
  await pair.taker.until(id, 'done');
  await vi.waitFor(() => expect(swapOf(id).get.least).toBeUndefined(), 60_000);
  const { get, outcome, reason } = swapOf(id);
  const came = await received('USDC');
  expect([outcome, reason, get.symbol, BigInt(get.amount)]).toEqual(['finished', null, 'USDC', came]);
  expect(came >= BigInt(offered.least ?? '0') && came < before).toBe(true);
});

/** Until an exchange brings less, or more, than the swap wants at least. */
async function pricePasses(least: bigint, way: 'below' | 'above'): Promise<void> {
  const [from, to, units] =
    way === 'below' ? (['WBTC', 'USDC', 70_000_000_000n] as const) : (['USDC', 'WBTC', 42_500_000_000_000n] as const);
  for (let step = 0; step < 5; step++) {
    const now = await price();
    if (way === 'below' ? now < least : now >= least) return;
    await sell(from, to, units);
    await pair.world.advance(5);
  }
  throw new Error(`the price is ${await price()}`);
}

/** A minute passes between two questions for a price, and a question may have come a moment too early. */
async function goesOn(id: string): Promise<void> {
  for (let minute = 0; minute < 25 && swapOf(id).at !== 'done'; minute++) {
    await pair.world.advance(65);
    await vi.waitFor(() => expect(swapOf(id).at).toBe('done'), 3_000).catch(() => undefined);
  }
  await pair.taker.until(id, 'done');
}

/** The price has fallen below what the swap wants at least, and the provider has locked. */
async function outOfReach(gasless: boolean): Promise<string> {
  const id = await toUsdc(gasless);
  await pricePasses(BigInt(swapOf(id).get.least ?? '0'), 'below');
  await fund(id);
  await vi.waitFor(() => expect(swapOf(id).reason).toBe('price-away'), 60_000);
  return id;
}

test('the price is out of reach and comes back: nothing is claimed before', async () => {
  await start();
  const id = await outOfReach(true);
  const { turn, phase, get } = swapOf(id);
  const before = await received('USDC');
  await pricePasses(BigInt(get.least ?? '0'), 'above');
  await goesOn(id);
  expect([phase, turn.who, turn.step, before]).toEqual(['wait', 'node', 'exchange', 0n]);
  expect([swapOf(id).outcome, (await received('USDC')) >= BigInt(get.least ?? '0')]).toEqual(['finished', true]);
});

test.each([true, false])(
  'the price never comes back: the token of the lock itself is claimed in time (gasless %s)',
  async (gasless) => {
    await start();
    const id = await outOfReach(gasless);
    const locked = pair.taker.runtime.workingSet.readable(id)?.row.progress as TakeArkadeEvmProgress & { at: 'funded' };
    await pair.world.advance(10 * hour);
    await goesOn(id);
    await vi.waitFor(() => expect(swapOf(id).get.least).toBeUndefined(), 60_000);
    const { get, outcome, reason } = swapOf(id);
    const { amount: held } = locked.deal.target;
    expect([outcome, reason, get.symbol, BigInt(get.amount)]).toEqual(['finished', 'not-exchanged', 'WBTC', held]);
    expect([await received('WBTC'), await received('USDC')]).toEqual([held, 0n]);
  },
);

test('a provider that goes by a lower floor never sees the secret for it: the node exchanges by itself', async () => {
  await start();
  let shown = 0;
  pair.tampered.redeemTerms = async () => ({ least: 1n, exchange: null });
  pair.tampered.claimOnEvm = async () => {
    shown += 1;
    return { txid: null };
  };
  const id = await toUsdc();
  await fund(id);
  await vi.waitFor(() => expect(swapOf(id).reason).toBe('price-away'), 60_000);
  await goesOn(id);
  expect([swapOf(id).outcome, shown, (await received('USDC')) > 0n]).toEqual(['finished', 0, true]);
});

test('a price that got worse than was agreed begins nothing', async () => {
  await start();
  const least = await price();
  const refused = await pair.taker.taker.create({ ...request(), leastTarget: tokenAmount(least) });
  expect([isRefusal(refused), [...pair.taker.runtime.workingSet.all()]]).toEqual([true, []]);
});
