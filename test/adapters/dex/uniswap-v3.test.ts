import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createUniswapV3 } from '../../../engine/adapters/dex/uniswap-v3.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { leastOut, mostIn } from '../../../engine/domain/slippage.ts';
import { unix } from '../../../engine/domain/time.ts';
import { oldestQuote, tooOld } from '../../../engine/quote/exchange.ts';
import type { DexAsker, DexQuery, DexQuote } from '../../../engine/quote/ports.ts';
import {
  coin,
  coordinatorOfChain as coordinator,
  type Market,
  openMarket,
  router,
  tbtc,
  usdc,
  wbtc,
} from './market.ts';

let market: Market;
let start: `0x${string}`;

beforeAll(async () => {
  market = await openMarket();
  start = await market.snapshot();
});
afterAll(() => market.stop());
beforeEach(async () => {
  await market.goBack(start);
  start = await market.snapshot();
});

const bitcoin = 100_000_000n;

async function quoted(query: DexQuery, over = [wbtc]): Promise<DexQuote> {
  const answer = await market.dex(over).quote(query);
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

const sentence = (answer: DexQuote | Refusal) =>
  isRefusal(answer) ? `${answer.refusal}: ${answer.sentence}` : 'a quote';
const nobody = asEvmAddress(new Uint8Array(20).fill(7));

describe('a price', () => {
  it('is what the one pool of two tokens gives', async () => {
    const { route, amountIn, amountOut } = await quoted({ from: wbtc, to: usdc, pinned: 'in', amount: bitcoin });
    expect(route).toEqual([{ from: wbtc, to: usdc, fee: 500 }]);
    expect(amountIn).toBe(bitcoin);
    // 60,000 dollars, less the pool's five hundredths of a percent.
    expect(Number(amountOut) / 1e6).toBeCloseTo(59_970, -1);
  });

  it('is asked over two pools where there is none of the two', async () => {
    const { route, amountIn } = await quoted({ from: usdc, to: tbtc, pinned: 'out', amount: 10n ** 18n });
    expect(route.map(({ fee }) => fee)).toEqual([500, 500]);
    expect([route[0]?.to, route[1]?.from]).toEqual([wbtc, wbtc]);
    expect(Number(amountIn) / 1e6).toBeCloseTo(60_060, -2);
  });

  it('is refused where no pools lie between the tokens', async () => {
    const answer = await market.dex([]).quote({ from: usdc, to: tbtc, pinned: 'in', amount: 10n ** 6n });
    expect(sentence(answer)).toContain('invalid: There is no pool');
  });

  it('is refused where the amount is more than the pools can bear', async () => {
    const query = { from: wbtc, to: usdc, pinned: 'in', amount: 60_000n * bitcoin } as const;
    expect(sentence(await market.dex().quote(query))).toContain('has no price for this amount');
    const all = { ...query, pinned: 'out', amount: 10n ** 18n } as const;
    expect(sentence(await market.dex().quote(all))).toContain('has no price for this amount');
  });

  it('of nothing is refused', async () => {
    expect(sentence(await market.dex().quote({ from: wbtc, to: usdc, pinned: 'in', amount: 0n }))).toContain(
      'above zero',
    );
  });

  it('is not believed after somebody moved one of two pools that have to agree', async () => {
    await openSecondPool(2n);
    const query = { from: usdc, to: tbtc, pinned: 'in', amount: 60_000n * 10n ** 6n } as const;
    expect(sentence(await market.dex().quote(query))).toContain('unavailable: The pools of the exchange do not agree');
  });

  it('is the better one of two that agree', async () => {
    await openSecondPool(1n);
    const { route } = await quoted({ from: usdc, to: tbtc, pinned: 'in', amount: 600n * 10n ** 6n });
    expect(route).toEqual([{ from: usdc, to: tbtc, fee: 500 }]);
  });

  it('is kept for some seconds, and then asked again', async () => {
    const dex = market.dex();
    const query = { from: wbtc, to: usdc, pinned: 'in', amount: bitcoin } as const;
    const [first, second] = [await dex.quote(query), await dex.quote(query)];
    expect(second).toBe(first);
    market.pass(5);
    const before = market.reads();
    expect(await dex.quote(query)).not.toBe(first);
    // The pools themselves are looked for once a minute.
    expect(market.reads() - before).toBeLessThan(12);
    market.pass(61);
    const later = market.reads();
    await dex.quote(query);
    expect(market.reads() - later).toBeGreaterThan(12);
  });

  it('is refused while too many wait for one', async () => {
    const dex = market.dex();
    const asking = Array.from({ length: 30 }, (_, at) =>
      dex.quote(
        { from: wbtc, to: usdc, pinned: 'in', amount: bitcoin + BigInt(at) },
        { by: { is: 'client', client: `203.0.113.${at}` } },
      ),
    );
    const answers = (await Promise.all(asking)).map(sentence);
    expect(answers.filter((one) => one.includes('Too many price requests'))).toHaveLength(6);
  });

  it('fault 363, evm: is given to others while one client asks for as many as it may', async () => {
    const never = new Promise<Uint8Array>(() => undefined);
    const asks: unknown[] = [];
    const chain = {
      read(_: unknown, how: unknown) {
        asks.push(how);
        return never;
      },
    };
    const dex = createUniswapV3({ chain, quoter: usdc, router: tbtc, over: [], wall: market.now });
    let amount = bitcoin;
    const refusedOf = async (by: DexAsker): Promise<number> => {
      const answers = Array.from({ length: 30 }, () =>
        Promise.race([
          dex.quote({ from: wbtc, to: usdc, pinned: 'in', amount: ++amount }, { by }),
          new Promise<null>((resolve) => setTimeout(resolve, 50, null)),
        ]),
      );
      return (await Promise.all(answers)).filter((answer) => answer !== null).length;
    };
    expect(await refusedOf({ is: 'client', client: '203.0.113.1' })).toBe(26);
    expect(await refusedOf({ is: 'client', client: '2001:db8:1:1::/64' })).toBe(26);
    // Of the same site.
    expect(await refusedOf({ is: 'client', client: '2001:db8:1:2::/64' })).toBe(30);
    for (let site = 2; site < 9; site++) await refusedOf({ is: 'client', client: `2001:db8:${site}:1::/64` });
    expect(await refusedOf({ is: 'client', client: '203.0.113.2' })).toBe(30);
    // What is open has places that nobody fills who only asks for prices, nor who only creates swaps.
    for (let swap = 0; swap < 9; swap++) await refusedOf({ is: 'funding', hash: `${swap}` });
    expect(await refusedOf({ is: 'claim', hash: 'ab' })).toBe(26);
    const lanes = ['client', 'funding', 'claim'].map((by) => JSON.stringify({ by }));
    expect(new Set(asks.map((how) => JSON.stringify(how)))).toEqual(new Set(lanes));
  });

  it('of a quoter and a router that have different pools is a mistake of the owner', async () => {
    const chain = {
      read: ({ to }: { to: Uint8Array }) => Promise.resolve(new Uint8Array([...new Uint8Array(12), ...to])),
    };
    const dex = createUniswapV3({ chain, quoter: usdc, router: tbtc, over: [], wall: market.now });
    await expect(dex.quote({ from: wbtc, to: usdc, pinned: 'in', amount: bitcoin })).rejects.toThrow(
      'have different pools',
    );
  });

  it('the coin of the chain is priced as the token that wraps it', async () => {
    expect(toHex(await market.dex().wrappedCoin())).toBe(toHex(coin));
  });

  it('is too old after a minute', async () => {
    const quote = await quoted({ from: wbtc, to: usdc, pinned: 'in', amount: bitcoin });
    // Or before it, by a clock that was set back.
    const at = [0, oldestQuote + 1, -oldestQuote - 1].map((since) => tooOld(quote, unix(quote.asked + since)));
    expect(at).toEqual([false, true, true]);
  });
});

describe('the calls of an exchange', () => {
  it('pay the coordinator what the quote said, and leave no allowance', async () => {
    const quote = await quoted({ from: wbtc, to: usdc, pinned: 'in', amount: bitcoin });
    await market.give(wbtc, coordinator, bitcoin);
    const calls = market.dex().calls(quote, leastOut(quote.amountOut, 50), coordinator);
    await market.carryOut(coordinator, calls);
    expect(await market.balance(coordinator, usdc)).toBe(quote.amountOut);
    expect(await market.balance(coordinator, wbtc)).toBe(0n);
    expect(await market.allowance(wbtc, coordinator, router)).toBe(0n);
  });

  it('with the amount out pinned bring exactly that over two pools', async () => {
    const quote = await quoted({ from: usdc, to: tbtc, pinned: 'out', amount: 10n ** 17n });
    const most = mostIn(quote.amountIn, 50);
    await market.give(usdc, coordinator, most);
    await market.carryOut(coordinator, market.dex().calls(quote, most, coordinator));
    expect(await market.balance(coordinator, tbtc)).toBe(10n ** 17n);
    expect(await market.balance(coordinator, usdc)).toBe(most - quote.amountIn);
  });

  it('revert beyond the bound, either way', async () => {
    const exact = await quoted({ from: wbtc, to: usdc, pinned: 'in', amount: bitcoin });
    await market.give(wbtc, coordinator, bitcoin);
    const dear = market.dex().calls(exact, exact.amountOut + 1n, coordinator);
    await expect(market.carryOut(coordinator, dear)).rejects.toThrow('reverted');
    const exactOut = await quoted({ from: wbtc, to: usdc, pinned: 'out', amount: 10n ** 9n });
    const scant = market.dex().calls(exactOut, exactOut.amountIn - 1n, coordinator);
    await expect(market.carryOut(coordinator, scant)).rejects.toThrow('reverted');
  });

  it('go to the token and the router, with a selector of its rules', async () => {
    const quote = await quoted({ from: usdc, to: wbtc, pinned: 'out', amount: bitcoin });
    const dex = market.dex();
    const [approval, exchange] = dex.calls(quote, quote.amountIn, nobody);
    expect([approval.target, exchange.target]).toEqual([usdc, router]);
    expect(dex.rules.selectors).toContain(toHex(exchange.data.subarray(0, 4)));
    expect(toHex(approval.data)).toBe(
      `095ea7b3${toHex(router).padStart(64, '0')}${quote.amountIn.toString(16).padStart(64, '0')}`,
    );
  });
});

/** A pool of USDC and tBTC beside the way over WBTC, at `times` its price. */
async function openSecondPool(times: bigint): Promise<void> {
  await market.openPool({
    fee: 500,
    spacing: 10,
    sides: [
      [usdc, 60_000n * 10n ** 9n],
      [tbtc, times * 10n ** 21n],
    ],
  });
}
