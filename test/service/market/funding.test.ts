import { randomBytes } from 'node:crypto';
import { hexToBytes, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permit2Funding } from '../../../engine/contract/records/evm.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { createFunding } from '../../../engine/service/deposit/funding.ts';
import { evmBitcoinDirection } from '../../../engine/service/directions/evm-bitcoin.ts';
import { evmLightningDirection } from '../../../engine/service/directions/evm-lightning.ts';
import { coordinatorOfChain, tbtc, usdc, wbtc, type Market as Pools } from '../../adapters/dex/market.ts';
import { given, openPools, quoted, type OpenPools } from './context.ts';

let open: OpenPools;
let pools: Pools;
let context: ServiceContext;

beforeAll(async () => {
  open = await openPools();
  pools = open.pools;
  const own = await open.contextWith(wbtc, [usdc, tbtc]);
  context = { ...own, networks: { ...own.networks, bitcoinFree: () => sats(50_000_000) } };
});
afterAll(() => open.stop());

const common = {
  userId: 'wallet',
  extraFeesBps: 0,
  referralCode: null,
  evmChainId: 137 as never,
  userAddress: asEvmAddress(new Uint8Array(20).fill(0x99)),
  userText: `0x${'99'.repeat(20)}`,
  gasless: true,
  bridge: null,
};
const payout = sats(500_003);

type Pinned = 'source' | 'target';

async function toLightning(token: EvmAddress, pinned: Pinned, all: bigint) {
  const amount = pinned === 'source' ? { pinned, amount: tokenAmount(all) } : { pinned, amount: payout };
  const payee = { is: 'address', text: 'alice@example.com', amount } as const;
  return given(await evmLightningDirection.create(context, { ...common, token, payee }, null));
}

async function toBitcoin(token: EvmAddress, pinned: Pinned, all: bigint) {
  const { publicKey } = open.scene.client;
  const request = {
    ...{ ...common, token, targetAddress: null, hash: asSha256(randomBytes(32)) },
    claimKey: { key: context.signer({ branch: 'taker', index: 0 }).publicKey, text: publicKey },
    amount: pinned === 'source' ? { pinned, amount: tokenAmount(all) } : { pinned, amount: payout },
  };
  return given(await evmBitcoinDirection.create(context, request, null));
}

const data = async (id: string) => createFunding(context).permit2Funding(id);

/** What the coordinator locks by the calls, and what is left of the client's token. */
async function carriedOut(token: EvmAddress, { source_amount, calls }: Permit2Funding) {
  const before = [
    await pools.balance(coordinatorOfChain, wbtc),
    await pools.balance(coordinatorOfChain, token),
  ] as const;
  await pools.give(token, coordinatorOfChain, BigInt(source_amount));
  await pools.carryOut(
    coordinatorOfChain,
    calls.map(({ target, value, call_data }) => ({
      target: asEvmAddress(hexToBytes(target as Hex)),
      value: BigInt(value),
      data: hexToBytes(call_data as Hex),
    })),
  );
  return {
    locked: (await pools.balance(coordinatorOfChain, wbtc)) - before[0],
    left: (await pools.balance(coordinatorOfChain, token)) - before[1],
  };
}

/** A trade that makes bitcoin dearer in dollars, or cheaper. */
async function trade(from: EvmAddress, to: EvmAddress, amount: bigint): Promise<void> {
  const whale = asEvmAddress(new Uint8Array(20).fill(0x3a));
  const dex = pools.dex();
  await pools.give(from, whale, amount);
  const quote = given(await dex.quote({ from, to, pinned: 'in', amount }));
  await pools.carryOut(whale, dex.calls(quote, 0n, whale));
  pools.pass(60);
}

const both: readonly [string, typeof toLightning | typeof toBitcoin][] = [
  ['to Lightning', toLightning],
  ['to Bitcoin', toBitcoin],
];

describe.each(both)('fault 74, evm: a swap %s', (_, create) => {
  it.each([
    ['USDC', 'target', usdc, 0n],
    ['USDC', 'source', usdc, 300_000_007n],
    ['tBTC', 'target', tbtc, 0n],
    ['tBTC', 'source', tbtc, 5_000_000_123_456_789n],
  ] as const)('of %s, its %s fixed, is funded with its source amount', async (_name, pinned, token, all) => {
    const record = await create(token, pinned, all);
    if (pinned === 'source') expect(record.source_amount).toBe(`${all}`);
    const terms = given(await data(record.id));
    expect(terms.source_amount).toBe(record.source_amount);
    const { locked, left } = await carriedOut(token, terms);
    expect(`${locked}`).toBe(record.evm_expected_sats);
    // The slippage of the exchange, 50 in 10,000, as far as the price did not move; the pools' own share of it is
    // little.
    expect(Number(left) / Number(record.source_amount)).toBeCloseTo(0.005, 3);
  });

  it('the pegged token is given as it is locked', async () => {
    const [fixed, all] = [await create(wbtc, 'target', 0n), await create(wbtc, 'source', 500_000n)];
    const asks = [given(await data(fixed.id)), given(await data(all.id))];
    expect(asks.map(({ source_amount, calls }) => [source_amount, calls])).toEqual([
      [fixed.evm_expected_sats, []],
      ['500000', []],
    ]);
    expect([fixed.source_amount, all.source_amount]).toEqual([fixed.evm_expected_sats, '500000']);
  });

  it('keeps its source amount while the price moves within the slippage, and gets back what is left', async () => {
    const snapshot = await pools.snapshot();
    try {
      const records = [await create(usdc, 'target', 0n), await create(usdc, 'source', 300_000_007n)];
      const rest: number[] = [];
      for (const [from, to, amount] of [
        [usdc, wbtc, 100_000_000_000n],
        [wbtc, usdc, 500_000_000n],
      ] as const) {
        await trade(from, to, amount);
        for (const record of records) {
          const terms = given(await data(record.id));
          expect(terms.source_amount).toBe(record.source_amount);
          const { locked, left } = await carriedOut(usdc, terms);
          expect(`${locked}`).toBe(record.evm_expected_sats);
          rest.push(Number(left) / Number(record.source_amount));
        }
      }
      const [dear = 0, dearAll = 0, cheap = 0, cheapAll = 0] = rest;
      expect([dear < cheap, dearAll < cheapAll, dear >= 0, dearAll >= 0]).toEqual([true, true, true, true]);
    } finally {
      await pools.goBack(snapshot);
    }
  });

  it('asks for more above it where the payout is fixed; who gives all waits, and neither payout moves', async () => {
    const snapshot = await pools.snapshot();
    try {
      const [fixed, all] = [await create(usdc, 'target', 0n), await create(usdc, 'source', 300_000_007n)];
      for (let i = 0; i < 8; i++) await trade(usdc, wbtc, 100_000_000_000_000n);
      const terms = given(await data(fixed.id));
      expect(BigInt(terms.source_amount)).toBeGreaterThan(BigInt(fixed.source_amount));
      const { locked, left } = await carriedOut(usdc, terms);
      expect(`${locked}`).toBe(fixed.evm_expected_sats);
      expect(left).toBeGreaterThan(0n);
      expect(await data(all.id)).toMatchObject({
        refusal: 'invalid',
        sentence: expect.stringMatching(/^The exchange takes \d+ units now and the swap gives 300000007: try again/),
      });
      for (let i = 0; i < 8; i++) await trade(wbtc, usdc, 400_000_000_000n);
      const again = given(await data(all.id));
      expect(again.source_amount).toBe('300000007');
      expect(`${(await carriedOut(usdc, again)).locked}`).toBe(all.evm_expected_sats);
    } finally {
      await pools.goBack(snapshot);
    }
  });
});

it('fault 74, evm: a quote from a token counts with the slippage that the lock is funded with', async () => {
  const ask = (pinned: Pinned, amount: bigint) =>
    quoted(context, { direction: 'from-token', token: usdc, pinned, amount });
  const market = context.markets.on('evm:137');
  if (market === null || market.dex === null) throw new Error('no exchange');
  const amount = 300_000_007n;
  const pair = { from: usdc, to: wbtc };
  const out = given(await market.dex.quote({ ...pair, pinned: 'in', amount })).amountOut;
  expect(given(await ask('source', amount)).target_amount).toBe(`${(out * 9_950n) / 10_000n}`);
  const needed = given(await market.dex.quote({ ...pair, pinned: 'out', amount: payout })).amountIn;
  expect(given(await ask('target', payout)).source_amount).toBe(`${(needed * 10_050n + 9_999n) / 10_000n}`);
});
