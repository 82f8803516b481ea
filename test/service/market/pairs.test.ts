import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hexToBytes, type Hex } from 'viem';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import { gasOf } from '../../../engine/quote/gas.ts';
import type { BridgePort } from '../../../engine/quote/ports.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import { planClaim, planFunding } from '../../../engine/service/market/calls.ts';
import { dexCalls, dexQuote } from '../../../engine/service/market/dex.ts';
import { getAddress } from 'viem/utils';
import { chainConfig, evmTokenChains, evmTokens, tokens } from '../../../engine/service/market/lists.ts';
import { lightningSendQuote } from '../../../engine/service/price/send-quote.ts';
import { pairs, quote } from '../../../engine/service/price/quotes.ts';
import { coordinatorOfChain, coin, tbtc, usdc, wbtc, type Market as Pools } from '../../adapters/dex/market.ts';
import {
  bitcoinAlone,
  btcOn,
  given,
  hex,
  network,
  openPools,
  quoted,
  tokenOn,
  zero,
  type OpenPools,
} from './context.ts';

let open: OpenPools;
let pools: Pools;
const contextWith = (...of: Parameters<OpenPools['contextWith']>) => open.contextWith(...of);

beforeAll(async () => {
  open = await openPools();
  pools = open.pools;
});
afterAll(() => open.stop());

describe('lists name what can be swapped now', () => {
  it('the chain, its pegged token in small letters, and its tokens', async () => {
    const context = await contextWith(wbtc, [usdc]);
    expect(chainConfig(context)).toEqual({
      chains: [
        { chain: '137', btc_pegged_token: { address: hex(wbtc), decimals: 8, symbol: 'WBTC' }, btc_peg_rate: '1' },
        { chain: '31', btc_pegged_token: { address: hex(zero), decimals: 18, symbol: 'RBTC' }, btc_peg_rate: '1' },
      ],
    });
    expect(evmTokenChains(context)).toEqual({
      chains: [
        { chain_id: 137, name: 'Polygon' },
        { chain_id: 31, name: 'Rootstock' },
      ],
    });
    expect(evmTokens(context, 137).chains['137']?.map(({ symbol, decimals }) => [symbol, decimals])).toEqual([
      ['WBTC', 8],
      ['USDC', 6],
    ]);
    expect(evmTokens(context, 1)).toEqual({ chains: {} });
  });

  it('tokens by their addresses with the checksum, and finds them in letters of any case', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const all = [zero, wbtc, usdc].map((address) => getAddress(hex(address)));
    const { evm_tokens } = tokens(context, { source: null, target: null });
    expect(new Set(evm_tokens.map(({ token_id }) => token_id))).toEqual(new Set(all));
    expect(evmTokens(context, 137).chains['137']?.map(({ address }) => address)).toEqual(all.slice(1));
    const cases = [getAddress(hex(usdc)), hex(usdc), `0x${hex(usdc).slice(2).toUpperCase()}`];
    const lists = cases.map((token) => tokens(context, { source: null, target: { chain: '137', token } }).btc_tokens);
    expect(lists.map((listed) => listed.map(({ chain }) => chain))).toEqual(cases.map(() => ['Arkade', 'Lightning']));
  });

  it('a filter by a token leaves what fits on the other side', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const listed = (filter: Parameters<typeof tokens>[1]) => {
      const { btc_tokens, evm_tokens } = tokens(context, filter);
      return [...btc_tokens, ...evm_tokens].map(({ chain, symbol }) => `${symbol} on ${chain}`).sort();
    };
    expect(listed({ source: null, target: tokenOn(usdc) })).toEqual(['BTC on Arkade', 'BTC on Lightning']);
    expect(listed({ source: tokenOn(usdc), target: null })).toEqual(['BTC on Arkade', 'BTC on Lightning']);
    expect(listed({ source: btcOn('Arkade'), target: null })).toEqual([
      'BTC on Lightning',
      'RBTC on 31',
      'USDC on 137',
      'WBTC on 137',
    ]);
    expect(listed({ source: btcOn('Bitcoin'), target: tokenOn(usdc) })).toEqual([]);
  });

  it('nothing of a chain whose directions are not there, and nothing whose gas has no price', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const without = { ...context, directions: { ...directions, all: bitcoinAlone as never } };
    expect([chainConfig(without).chains, evmTokenChains(without).chains]).toEqual([[], []]);
    const unpriced = { ...context, markets: { ...context.markets, gas: () => null } };
    expect(pairs(unpriced).pairs.filter(({ source, target }) => source === '137' || target === '137')).toEqual([]);
    expect(
      await quoted(unpriced, { direction: 'to-token', token: wbtc, pinned: 'source', amount: 100_000n }),
    ).toMatchObject({ refusal: 'unavailable' });
  });

  it('a chain on which nothing can be swapped for a moment is configured still, and offers no token', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const silent = { ...context, markets: { ...context.markets, gas: () => null } };
    expect([evmTokenChains(silent).chains, chainConfig(silent)]).toEqual([[], chainConfig(context)]);
    expect(chainConfig({ ...silent, live: () => false }).chains).toEqual([]);
  });

  it('the least that is swapped is nine times what taking back would cost', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const dear = (units: bigint) => sats(units / 10n);
    const pair = pairs({ ...context, markets: { ...context.markets, gas: () => dear } }).pairs.find(
      ({ target }) => target === '137',
    );
    expect(pair?.min_sats).toBe(Number(((gasOf.lock + gasOf.refund) / 10n) * 9n));
  });
});

describe('what is asked of the exchange', () => {
  const of = (address: EvmAddress, chainId = 137) => ({ kind: 'evm' as const, chainId, address: hex(address) });
  const request = (from = of(wbtc), to = of(usdc)) => ({
    from,
    to,
    pinned: 'in' as const,
    amount: tokenAmount(1_000_000),
    slippageBps: 100,
    recipientSetup: false,
    sender: asEvmAddress(new Uint8Array(20).fill(9)),
    bridgeRecipient: null,
  });

  it('its calls pay the coordinator for a funding, the sender for a claim, and no less than the floor', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const priced = given(await dexQuote(context, request()));
    const [fund, claim] = [
      given(await dexCalls(context, 'fund', request())),
      given(await dexCalls(context, 'claim', request())),
    ];
    const floor = (BigInt(priced.estimated_amount_out.raw) * 99n) / 100n;
    expect([fund.estimated_amount_out, claim.estimated_amount_out]).toEqual([`${floor}`, `${floor}`]);
    const payees = [fund, claim].map(({ payload }) => payload.calls[1]?.data);
    expect(payees[0]).toContain(hex(coordinatorOfChain).slice(2));
    expect(payees[1]).toContain('09'.repeat(20));
    await pools.give(wbtc, request().sender, 1_000_000n);
    const calls = claim.payload.calls.map(({ target, data, value }) => ({
      target: asEvmAddress(hexToBytes(target as Hex)),
      data: hexToBytes(data as Hex),
      value: BigInt(value),
    }));
    await pools.carryOut(request().sender, calls);
    expect(`${await pools.balance(request().sender, usdc)}`).toBe(priced.estimated_amount_out.raw);
  });

  it('nothing that stops new swaps stops the calls of those that are open', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const paused = { ...context, live: () => false };
    expect(evmTokenChains(paused).chains).toEqual([]);
    expect(given(await dexCalls(paused, 'claim', request()))).toEqual(
      given(await dexCalls(context, 'claim', request())),
    );
    const unread = { ...paused, markets: { ...context.markets, on: () => null } };
    expect(await dexQuote(unread, request())).toMatchObject({ refusal: 'unavailable' });
  });

  it('pairs without the pegged token, other chains and no tokens at all are refused with a sentence', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const nobody = asEvmAddress(new Uint8Array(20).fill(1));
    const requests = [
      request(of(usdc), of(tbtc)),
      request(of(wbtc, 1), of(usdc, 1)),
      request(of(wbtc), of(usdc, 8453)),
      request(of(wbtc), of(wbtc)),
      request(of(wbtc), of(nobody)),
    ];
    const sentences = await Promise.all(requests.map((one) => dexQuote(context, one)));
    expect(sentences.map((one) => (isRefusal(one) ? `${one.refusal}: ${one.sentence}` : 'a quote'))).toEqual([
      expect.stringContaining('invalid: One of from and to must be WBTC'),
      expect.stringContaining('invalid: Unsupported chain: nothing is swapped on chain 1 here'),
      expect.stringContaining('nothing is sent on to from there'),
      expect.stringContaining('are the same token'),
      expect.stringContaining('is no token on chain 137'),
    ]);
  });
});

it('a quote out of limits shows them, and one that the exchange has no price for says which way to go', async () => {
  const context = await contextWith(wbtc, [usdc]);
  const toToken = (token: EvmAddress, amount: bigint) =>
    quoted(context, { direction: 'to-token', token, pinned: 'source', amount });
  for (const [token, amount] of [
    [wbtc, 1n],
    [wbtc, 10n ** 11n],
    [usdc, 500n],
  ] as const) {
    const { min_amount, max_amount, net_source_amount } = given(await toToken(token, amount));
    expect([min_amount, max_amount, net_source_amount]).toEqual([1_000, 10_000_000, `${amount}`]);
  }
  expect([await toToken(usdc, 1n), await toToken(wbtc, 10n ** 20n)]).toEqual([
    expect.objectContaining({
      refusal: 'invalid',
      sentence: expect.stringContaining('or for more where it is next to nothing'),
    }),
    expect.objectContaining({
      refusal: 'invalid',
      sentence: 'The amount is more than all bitcoin that can exist: ask for less.',
    }),
  ]);
});

describe('the calls of a swap', () => {
  const hash = 'ab'.repeat(32);
  const locked = 1_000_000n;

  it('fault 58, evm: a claim of the pegged token makes none, one of another is held to its floor', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const market = context.markets.on(network);
    if (market === null) throw new Error('no market');
    const of = { hash, coordinator: coordinatorOfChain, locked, onward: null };
    const plain = given(await planClaim(market, { ...of, token: wbtc, promised: locked }));
    expect(plain).toEqual({ calls: [], exchange: null, sweepToken: wbtc, minAmountOut: locked });
    const promised = 599_000_000n;
    const plan = given(await planClaim(market, { ...of, token: usdc, promised }));
    expect([plan.minAmountOut, plan.calls.length, plan.exchange]).toEqual([
      (promised * 9_950n) / 10_000n,
      2,
      plan.calls[1],
    ]);
    const late = await planClaim(market, { ...of, token: usdc, promised: 700_000_000n });
    expect(late).toMatchObject({
      refusal: 'invalid',
      sentence: expect.stringContaining('by a transaction of your own'),
    });
  });

  it('fault 58, evm: a funding takes no more than was agreed where that reaches, and asks for more if not', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const market = context.markets.on(network);
    if (market === null) throw new Error('no market');
    const of = { hash, coordinator: coordinatorOfChain, token: usdc, expected: locked, sourcePinned: false };
    const enough = given(await planFunding(market, { ...of, agreed: 604_000_000n }));
    expect(enough.sourceAmount).toBe(604_000_000n);
    const short = given(await planFunding(market, { ...of, agreed: 590_000_000n }));
    expect(Number(short.sourceAmount)).toBeGreaterThan(600_000_000);
    await pools.give(usdc, coordinatorOfChain, short.sourceAmount);
    const before = await pools.balance(coordinatorOfChain, wbtc);
    await pools.carryOut(coordinatorOfChain, short.calls);
    expect((await pools.balance(coordinatorOfChain, wbtc)) - before).toBe(locked);
  });

  it('fault 58, evm: a pool that moves changes what a client pays or waits for, never what a lock holds', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const market = context.markets.on(network);
    if (market === null) throw new Error('no market');
    const funding = {
      hash,
      coordinator: coordinatorOfChain,
      token: usdc,
      expected: locked,
      agreed: 0n,
      sourcePinned: false,
    };
    const claim = { hash, coordinator: coordinatorOfChain, locked, onward: null, token: usdc, promised: 599_000_000n };
    const before = given(await planFunding(market, funding));
    given(await planClaim(market, claim));
    const snapshot = await pools.snapshot();
    const whale = asEvmAddress(new Uint8Array(20).fill(0x3a));
    const dex = pools.dex();
    /** Part after part, for each takes the pool that gives most. */
    const trade = async (from: EvmAddress, to: EvmAddress, amount: bigint) => {
      await pools.give(from, whale, 8n * amount);
      for (let i = 0; i < 8; i++) {
        const quote = given(await dex.quote({ from, to, pinned: 'in', amount }));
        await pools.carryOut(whale, dex.calls(quote, 0n, whale));
        pools.pass(60);
      }
    };
    const lockedBy = async ({ calls, sourceAmount }: typeof before) => {
      await pools.give(usdc, coordinatorOfChain, sourceAmount);
      const held = await pools.balance(coordinatorOfChain, wbtc);
      await pools.carryOut(coordinatorOfChain, calls);
      return (await pools.balance(coordinatorOfChain, wbtc)) - held;
    };
    try {
      // Bitcoin is dearer: what was signed before falls short and reverts, and a fresh price is the client's to pay.
      await trade(usdc, wbtc, 100_000_000_000_000n);
      await expect(lockedBy(before)).rejects.toThrow();
      const dearer = given(await planFunding(market, funding));
      expect(dearer.sourceAmount).toBeGreaterThan(before.sourceAmount);
      expect(await lockedBy(dearer)).toBe(locked);
      // Bitcoin is cheaper: the claim waits for its price or is made without the exchange; the lock is what it was.
      await trade(wbtc, usdc, 400_000_000_000n);
      const cheaper = given(await planFunding(market, funding));
      expect(cheaper.sourceAmount).toBeLessThan(before.sourceAmount);
      expect(await lockedBy(cheaper)).toBe(locked);
      expect(await planClaim(market, claim)).toMatchObject({ refusal: 'invalid' });
      expect(given(await planClaim(market, { ...claim, token: wbtc }))).toMatchObject({ minAmountOut: locked });
    } finally {
      await pools.goBack(snapshot);
    }
  });

  it('the price of gas is read from the pool of the chain coin', async () => {
    const { markets } = await contextWith(wbtc, [usdc]);
    const price = markets.coinPrice(network);
    if (price === null) throw new Error('no price');
    // 120,000 coins for a bitcoin, and the pool's three thousandths.
    expect(Number(price.wei / 10n ** 14n) / Number(price.sats)).toBeCloseTo(12.03, 1);
    expect(hex(coin)).toHaveLength(42);
    expect(markets.gas(network)?.(1_000_000n)).toBeGreaterThan(0n);
  });
});

describe('a payout over Lightning that is paid for with a token', () => {
  const address = (pinned: 'source' | 'target', amount: bigint) =>
    ({
      is: 'address',
      text: 'alice@example.com',
      amount: pinned === 'source' ? { pinned, amount: tokenAmount(amount) } : { pinned, amount: sats(amount) },
    }) as const;
  const sendQuote = (context: ServiceContext, payee: ReturnType<typeof address>, token = usdc, sourceInSats = false) =>
    lightningSendQuote(
      context,
      {
        sourceChain: '137',
        sourceToken: hex(token),
        payee,
        sourceInSats,
        referralCode: null,
        extraFeesBps: 0,
      },
      null,
    );

  it('is what the pair costs, net, either side pinned', async () => {
    const context = await contextWith(wbtc, [usdc]);
    for (const [pinned, amount] of [
      ['source', 600_000_000n],
      ['target', 500_000n],
    ] as const) {
      const send = given(await sendQuote(context, address(pinned, amount)));
      const whole = given(await quoted(context, { direction: 'from-token', token: usdc, pinned, amount }));
      expect([send.source_amount, `${send.target_amount_sats}`, send.exchange_rate]).toEqual([
        whole.net_source_amount,
        whole.net_target_amount,
        whole.exchange_rate,
      ]);
      expect(send.source_amount_sats).toBe(send.target_amount_sats + send.protocol_fee_sats + send.network_fee_sats);
    }
  });

  it('a source in sats is what the lock is worth, whatever the token', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const send = given(await sendQuote(context, address('source', 1_000_000n), usdc, true));
    expect(send.source_amount_sats).toBe(1_000_000);
    expect(Number(send.source_amount) / 1e6).toBeCloseTo(600, -1);
  });

  it('the native coin, a token that is none and a chain without a direction are refused', async () => {
    const context = await contextWith(wbtc, [usdc]);
    const answers = [
      await sendQuote(context, address('target', 500_000n), zero),
      await sendQuote(context, address('target', 500_000n), asEvmAddress(new Uint8Array(20).fill(1))),
      await sendQuote(
        { ...context, directions: { ...directions, all: bitcoinAlone as never } },
        address('target', 500_000n),
      ),
    ];
    expect(answers.map((one) => (isRefusal(one) ? `${one.refusal}: ${one.sentence}` : 'a quote'))).toEqual([
      expect.stringContaining('invalid: The native coin cannot be the source'),
      expect.stringContaining('is no token on chain 137'),
      expect.stringContaining('unavailable: Lightning is not paid from 137'),
    ]);
  });
});

describe('USDC that goes on to another chain', () => {
  const adapter = asEvmAddress(new Uint8Array(20).fill(0xad));
  const bridge: BridgePort = {
    chainId: 137,
    usdc,
    adapter,
    fees: { ethereum: 1_250_000, others: 200_000 },
    stands: () => Promise.resolve(true),
  };
  const base = { kind: 'evm' as const, chainId: 8453, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' };
  const recipient = `0x${'ab'.repeat(20)}`;

  it('is priced net of the bridge, and its calls pay the adapter, which sends it on', async () => {
    const context = await contextWith(wbtc, [usdc], bridge);
    const request = {
      from: { kind: 'evm' as const, chainId: 137, address: hex(wbtc) },
      to: base,
      pinned: 'in' as const,
      amount: tokenAmount(1_000_000),
      slippageBps: 100,
      recipientSetup: false,
    };
    const here = given(await dexQuote(context, { ...request, to: { ...base, chainId: 137, address: hex(usdc) } }));
    const there = given(await dexQuote(context, request));
    expect(BigInt(here.estimated_amount_out.raw) - BigInt(there.estimated_amount_out.raw)).toBe(200_000n);
    expect([there.bridge_fee, there.bridge_rate?.router, there.bridge_rate?.flat]).toEqual([
      '200000',
      'cctp',
      '200000',
    ]);
    const sender = asEvmAddress(new Uint8Array(20).fill(9));
    const built = given(
      await dexCalls(context, 'fund', { ...request, sender, bridgeRecipient: { kind: 'evm', address: recipient } }),
    );
    expect(built.payload.calls.map(({ target }) => target)).toEqual([
      getAddress(hex(wbtc)),
      expect.any(String),
      getAddress(hex(adapter)),
    ]);
    expect(built.payload.calls[1]?.data).toContain('ad'.repeat(20));
    expect(built.payload.calls[2]?.data).toContain(recipient.slice(2));
    expect(await dexCalls(context, 'fund', { ...request, sender, bridgeRecipient: null })).toMatchObject({
      refusal: 'invalid',
    });
  });

  it('nothing but USDC goes on, and nothing from elsewhere is taken', async () => {
    const context = await contextWith(wbtc, [usdc], bridge);
    const ask = (token: EvmAddress, from: string | null) =>
      quote(
        context,
        {
          source: btcOn('Arkade'),
          target: tokenOn(token),
          amount: { pinned: 'source', amount: tokenAmount(1_000_000) },
          bridgeSource: from === null ? null : { chain: from, token: null },
          bridgeTarget: from === null ? { chain: 'Base', token: null, recipientSetup: false } : null,
          referralCode: null,
          extraFeesBps: 0,
        },
        null,
      );
    expect([await ask(tbtc, null), await ask(usdc, 'Base')]).toEqual([
      expect.objectContaining({ sentence: expect.stringContaining('Only USDC is sent on to Base') }),
      expect.objectContaining({ sentence: expect.stringContaining('USDC that arrives from Base is not taken') }),
    ]);
  });
});
