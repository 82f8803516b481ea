import { afterEach, expect, test, vi } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import type { Call } from '../../engine/legs/evm/contracts.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { marketOf, type Market } from '../support/evm/market.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { silence, startPair, type Pair } from './pair.ts';
import type { TakeArkadeEvmProgress } from './taken.ts';

// Two nodes and a chain with an exchange, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
let market: Market;
afterEach(async () => {
  await pair?.stop();
  await chain?.stop();
});

const hour = 3_600;
const amount = 50_000n;
const destination = asEvmAddress(fromHex('11'.repeat(20)));

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({ world, taker: { evm: chain }, provider: { evm: chain } });
  market = marketOf(chain, () => pair.taker.runtime.ports);
}

const request = (gasless = true) => ({
  ...({ direction: 'arkade-evm', amount: sats(amount), invoice: null, provider: '' } as const),
  evm: { chainId: 137, token: market.token('USDC'), destination, gasless },
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

const received = (symbol: string) =>
  evmOf(pair.taker.ports, evmNetworkOfWorld).balance(market.token(symbol), destination);

const price = () => market.price({ from: 'WBTC', to: 'USDC', pinned: 'in', amount });

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
    await market.sell(from, to, units);
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

type RedeemTerms = { readonly least: bigint; readonly exchange: Call | null };

/** What a provider could want signed instead of what was agreed, or would decline with our secret in its hand. */
const wrongTerms: Readonly<Record<string, (honest: RedeemTerms, floor: bigint) => RedeemTerms>> = {
  'a lower least': (honest, floor) => ({ ...honest, least: floor - 1n }),
  'more than there is': (honest) => ({ ...honest, least: 2n ** 120n }),
  'no exchange': (honest) => ({ ...honest, exchange: null }),
  'another contract': (honest) => changed(honest, { target: market.token('USDC') }),
  'another function': (honest) => changed(honest, { data: new Uint8Array(100).fill(7) }),
  'coins sent along': (honest) => changed(honest, { value: 1n }),
};

function changed({ least, exchange: call }: RedeemTerms, change: Partial<Call>): RedeemTerms {
  return { least, exchange: call === null ? null : { ...call, ...change } };
}

test('a provider that answers anything else never sees the secret for it: the node exchanges by itself', async () => {
  await start();
  const honest = pair.provider.asProvider('');
  const wrongBy = new Map<string, string>();
  const shownTo: string[] = [];
  pair.tampered.redeemTerms = async (swapId, to) => {
    const offered = await honest.redeemTerms(swapId, to);
    const [id = ''] = [...wrongBy].find(([, theirs]) => theirs === swapId) ?? [];
    if (isRefusal(offered)) return offered;
    const floor = BigInt(swapOf(id).get.least ?? '0');
    return wrongTerms[names[ids.indexOf(id)] ?? '']?.(offered, floor) ?? offered;
  };
  pair.tampered.claimOnEvm = async (swapId) => {
    shownTo.push(swapId);
    return { txid: null };
  };
  const names = Object.keys(wrongTerms);
  const ids: string[] = [];
  for (const _ of names) ids.push(await toUsdc());
  for (const id of ids) wrongBy.set(id, swapOf(id).provider_swap_id ?? '');
  for (const id of ids) await fund(id);
  for (const id of ids) await goesOn(id);
  expect([ids.map((id) => [swapOf(id).outcome, swapOf(id).get.symbol]), shownTo]).toEqual([
    names.map(() => ['finished', 'USDC']),
    [],
  ]);
});

test.each(['the provider has relayed', 'nobody has heard of'])(
  'the node dies with its signature out and no answer: %s it, and it arrives once',
  async (which) => {
    await start();
    const honest = pair.provider.asProvider('');
    let out = 0;
    pair.tampered.claimOnEvm = async (...given) => {
      out += 1;
      if (which === 'the provider has relayed') await honest.claimOnEvm(...given);
      return silence();
    };
    const id = await toUsdc();
    const floor = BigInt(swapOf(id).get.least ?? '0');
    await fund(id);
    await vi.waitFor(() => expect(out).toBeGreaterThan(0), 60_000);
    await pair.restartTaker();
    delete pair.tampered.claimOnEvm;
    await goesOn(id);
    const came = await received('USDC');
    expect([swapOf(id).outcome, came >= floor, came < 2n * floor]).toEqual(['finished', true, true]);
  },
);

test('a price that got worse than was agreed begins nothing', async () => {
  await start();
  const least = await price();
  const refused = await pair.taker.taker.create({ ...request(), leastTarget: tokenAmount(least) });
  expect([isRefusal(refused), [...pair.taker.runtime.workingSet.all()]]).toEqual([true, []]);
});
