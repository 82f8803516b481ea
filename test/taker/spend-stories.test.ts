import { afterEach, expect, test, vi } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { readEvmAddress } from '../../engine/domain/evm-address.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { mostIn } from '../../engine/domain/slippage.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { marketOf, type Market } from '../support/evm/market.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from './pair.ts';

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
/** Hundredths of a percent by which an exchange may come out worse, and a price may move before the create. */
const lessBps = 150;
const coin = `0x${'00'.repeat(20)}`;

async function start(): Promise<void> {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain, bitcoinWallet: true } as const;
  pair = await startPair({ world, taker: node, provider: node });
  market = marketOf(chain, () => pair.taker.runtime.ports);
  await deposit({ world, node: pair.provider }, 1_000_000);
}

type Bought = 'evm-bitcoin' | 'evm-arkade';

const request = (bolt11: string | null, symbol = 'USDC', bought: Bought = 'evm-bitcoin') => ({
  direction: bolt11 === null ? bought : ('evm-lightning' as const),
  amount: sats(amount),
  invoice: bolt11,
  evm: { chainId: 137, token: market.token(symbol), destination: null, gasless: true },
  provider: '',
});

async function begin(...of: Parameters<typeof request>): Promise<string> {
  const created = await pair.taker.taker.create(request(...of));
  if (isRefusal(created)) throw new Error(created.sentence);
  return created.id;
}

function swapOf(id: string): TakerSwap {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  return swap;
}

/** Brings what the swap asks for to the account that it shows; what that holds after it is asked of the chain. */
async function bring(id: string, symbol = 'USDC'): Promise<(symbol: string) => Promise<bigint>> {
  const { pay } = swapOf(id);
  const account = readEvmAddress(pay?.text ?? '');
  if (account === null) throw new Error('the swap shows no account');
  await chain.give(pay?.text ?? '', coin, 10n ** 18n);
  await chain.give(pay?.text ?? '', `0x${toHex(market.token(symbol))}`, BigInt(pay?.amount ?? '0'));
  return (of) => evmOf(pair.taker.ports, evmNetworkOfWorld).balance(market.token(of), account);
}

/** What the exchange takes now for as much as an order locks, near enough. */
const price = () => market.price({ from: 'USDC', to: 'WBTC', pinned: 'out', amount });

test('dollars pay an invoice: our own exchange makes of them what is locked, and the rest stays ours', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const id = await begin(bolt11);
  const { give, pay } = swapOf(id);
  const held = await bring(id);
  await pair.taker.until(id, 'claimed');
  const [left, pegged] = [await held('USDC'), await held('WBTC')];
  expect([swapOf(id).outcome, give.symbol, give.amount, pegged]).toEqual(['finished', 'USDC', pay?.amount, 0n]);
  const most = BigInt(give.amount);
  expect([left > 0n, most - left < most, most < mostIn(await price(), 400)]).toEqual([true, true, true]);
});

const bitcoins: Readonly<Record<Bought, () => Promise<bigint | undefined>>> = {
  'evm-arkade': () => pair.balance(),
  'evm-bitcoin': async () => (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available,
};

test.each(['evm-bitcoin', 'evm-arkade'] as const)(
  '%s: bitcoin is bought for dollars, of a provider that hears of the bitcoin token alone',
  async (bought) => {
    await start();
    const orders: unknown[] = [];
    const honest = pair.provider.asProvider('');
    pair.tampered.create = async (order) => {
      orders.push(order.body);
      return honest.create(order);
    };
    const id = await begin(null, 'USDC', bought);
    const held = await bring(id);
    await expect
      .poll(async () => (await pair.world.mine(1), pair.taker.at(id)), { timeout: 90_000, interval: 200 })
      .toBe('claimed');
    expect(orders).toMatchObject([
      { token_address: expect.stringMatching(new RegExp(toHex(market.token('WBTC')), 'i')), gasless: false },
    ]);
    const arrived = (await bitcoins[bought]()) ?? 0n;
    // A claim on the Bitcoin chain pays its own fee.
    expect([arrived <= amount, arrived > amount - 3_000n, await held('WBTC')]).toEqual([true, true, 0n]);
  },
);

test('the provider vanishes: what the exchange made of the dollars comes back, and is named before', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount, { hold: true });
  const id = await begin(bolt11);
  await pair.provider.kill();
  const held = await bring(id);
  await pair.taker.until(id, 'funded');
  const { back, paid } = swapOf(id);
  await pair.world.advance(60 * hour);
  await pair.taker.until(id, 'done');
  expect([swapOf(id).outcome, back?.symbol, BigInt(back?.amount ?? '0'), paid]).toEqual([
    'returned',
    'WBTC',
    await held('WBTC'),
    { state: 'stands', amount: null },
  ]);
});

test('while the exchange takes more than was agreed nothing is signed; at a price below it is locked', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const id = await begin(bolt11);
  const most = BigInt(swapOf(id).give.amount);
  for (let step = 0; step < 5 && (await price()) <= most; step++) {
    await market.sell('USDC', 'WBTC', 42_500_000_000_000n);
    await pair.world.advance(5);
  }
  const held = await bring(id);
  await vi.waitFor(
    () => expect(swapOf(id).detail).toMatch(/^The exchange takes \d+ now; at most \d+ are given/),
    60_000,
  );
  expect([swapOf(id).phase, swapOf(id).reason, await held('USDC')]).toEqual(['pay', 'not-locked', most]);
  for (let step = 0; step < 5 && (await price()) > most; step++) {
    await market.sell('WBTC', 'USDC', 70_000_000_000n);
    await pair.world.advance(5);
  }
  // A failed try is left alone for a minute.
  await pair.world.advance(65);
  await vi.waitFor(() => expect(swapOf(id).outcome).toBe('finished'), 60_000);
});

test('the node dies with its signature out: the dollars are given once', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const id = await begin(bolt11);
  const most = BigInt(swapOf(id).give.amount);
  const held = await bring(id);
  await chain.give(swapOf(id).pay?.text ?? '', `0x${toHex(market.token('USDC'))}`, 2n * most);
  await pair.taker.until(id, 'funding');
  await pair.restartTaker();
  await pair.taker.until(id, 'claimed');
  expect((await held('USDC')) >= 2n * most).toBe(true);
});

test.each([
  [
    'less than the exchange takes',
    (now: bigint) => now - 1n,
    /^most_source_amount is \d+, and \d+ may have to be given/,
  ],
  [
    'what it takes without its slippage',
    (now: bigint) => now,
    /^most_source_amount is \d+, and \d+ may have to be given/,
  ],
])('an owner who agrees to %s begins nothing', async (_, of, sentence) => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const refused = await pair.taker.taker.create({ ...request(bolt11), mostSource: tokenAmount(of(await price())) });
  expect(isRefusal(refused) ? refused.sentence : refused).toMatch(sentence);
  expect([...pair.taker.runtime.workingSet.all()]).toEqual([]);
});

test('quotes are in the token that is given, and no worse than what a create takes', async () => {
  await start();
  const of = { direction: 'evm-lightning', chainId: 137, token: market.token('USDC') } as const;
  const byTarget = await pair.taker.taker.quotes({ ...of, side: 'target', amount: tokenAmount(amount) });
  if (isRefusal(byTarget)) throw new Error(byTarget.sentence);
  const [offer] = byTarget.quotes;
  const given = BigInt(offer?.source_amount ?? '0');
  expect([offer?.target_amount, given > (await price())]).toEqual([`${amount}`, true]);
  const bySource = await pair.taker.taker.quotes({ ...of, side: 'source', amount: tokenAmount(given) });
  if (isRefusal(bySource)) throw new Error(bySource.sentence);
  const got = BigInt(bySource.quotes[0]?.target_amount ?? '0');
  expect([got <= amount, got > (amount * 99n) / 100n]).toEqual([true, true]);
  const { bolt11 } = pair.world.invoice(amount);
  const most = tokenAmount(mostIn(given, lessBps));
  const created = await pair.taker.taker.create({ ...request(bolt11), mostSource: most });
  expect([isRefusal(created), isRefusal(created) ? null : swapOf(created.id).give.amount]).toEqual([false, `${most}`]);
});

test('what a swap waits for is promised, and is not sent on', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const id = await begin(bolt11);
  const [usdc, wbtc] = [market.token('USDC'), market.token('WBTC')].map((token) => `0x${toHex(token)}`);
  for (const token of [usdc, wbtc]) await chain.give(swapOf(id).pay?.text ?? '', token ?? '', 1_000n);
  const accounts = await pair.taker.taker.accounts();
  if (isRefusal(accounts)) throw new Error(accounts.sentence);
  const holdings = accounts.accounts.flatMap((account) => account.holdings ?? []);
  expect(holdings.map((one) => [one.symbol, one.available, one.kept])).toEqual(
    expect.arrayContaining([
      ['USDC', '0', '1000'],
      ['WBTC', '1000', '0'],
    ]),
  );
});

test('the ways name every token of the owner as one to give', async () => {
  await start();
  const offers = await pair.taker.taker.ways();
  if (isRefusal(offers)) throw new Error(offers.sentence);
  const given = offers.ways.filter(({ direction }) => direction === 'evm-lightning').map(({ source }) => source.symbol);
  expect(given).toEqual(expect.arrayContaining(['WBTC', 'USDC']));
});

test('the coin of the chain cannot be signed away', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount);
  const of = request(bolt11);
  const refused = await pair.taker.taker.create({
    ...of,
    evm: { ...of.evm, token: readEvmAddress(coin) ?? of.evm.token },
  });
  expect(isRefusal(refused) ? refused.sentence : refused).toMatch(
    /is no token of this node's|cannot be moved by a signature/,
  );
});
