import { expect, test } from 'vitest';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { DexPort } from '../../../engine/quote/ports.ts';
import { exchanging, givenFor } from '../../../engine/runtime/networks/evm/exchanging.ts';
import { evmLightningTerms as swap, account, network } from '../../swap/evm-lightning-cases.ts';

/* What the exchange of a claim has to bring at least. */

const lock = { ...swap.lock, amount: 100_000n };

/** What is signed, and the bound of the exchange, where the exchange would bring so much now. */
async function bounds(brings: bigint, slippage: { readonly slippageBps?: number }, byRelay?: bigint) {
  const bound: bigint[] = [];
  const dex = {
    quote: async () => ({ amountIn: lock.amount, amountOut: brings }),
    calls: (_: unknown, least: bigint) => (bound.push(least), []),
  } as unknown as DexPort;
  const sweepToken = account.client;
  const claim = { lock, calls: [], sweepToken, minAmountOut: 100n, destination: account.client, ...slippage };
  const made = await exchanging(
    { network, contracts: swap.contracts, bySingleSource: false },
    { ...claim, key: { scheme: 'wallet', index: 0 } },
    { exchanges: () => dex },
    byRelay,
  );
  return 'refusal' in made ? made.refusal : [made.minAmountOut, ...bound];
}

test('fault 231, evm: a claim is exchanged for no less than its price at the act, but for the slippage', async () => {
  expect([
    await bounds(110n, { slippageBps: 100 }),
    await bounds(100n, { slippageBps: 100 }),
    await bounds(99n, { slippageBps: 100 }),
    await bounds(110n, { slippageBps: 100 }, 105n),
    await bounds(110n, { slippageBps: 100 }, 109n),
    await bounds(110n, {}),
  ]).toEqual([[100n, 108n], [100n, 100n], 'unavailable', [105n, 108n], [109n, 109n], [100n, 100n]]);
});

/** RPCs that say what the exchange gives and takes: together, where they agree, and the first of them alone. */
function pricedBy(of: { readonly agreed: bigint | 'differ' | 'away'; readonly first: bigint }) {
  const bound: bigint[] = [];
  const dex = {
    async quote(_: unknown, how?: { readonly agreed: boolean }) {
      const price = how?.agreed === true ? of.agreed : of.first;
      if (price === 'differ') throw evmFailure('evm-disagreement', 'safe', 'the RPCs do not say the same');
      if (price === 'away') throw evmFailure('evm-away', 'safe', 'not enough of them answer');
      return { amountIn: price, amountOut: price };
    },
    calls: (_: unknown, by: bigint) => (bound.push(by), []),
  } as unknown as DexPort;
  return { bound, ports: { exchanges: () => dex } };
}

const where = { network, contracts: swap.contracts } as const;
const key = { scheme: 'wallet', index: 0 } as const;

async function claimed(of: Parameters<typeof pricedBy>[0], bySingleSource: boolean) {
  const { bound, ports } = pricedBy(of);
  const claim = { lock, calls: [], sweepToken: account.client, minAmountOut: 100n, destination: account.client, key };
  const made = await exchanging({ ...where, bySingleSource }, { ...claim, slippageBps: 100 }, ports);
  return 'refusal' in made ? made.refusal : bound;
}

async function funded(of: Parameters<typeof pricedBy>[0], bySingleSource: boolean) {
  const { bound, ports } = pricedBy(of);
  const spend = { token: account.client, most: 200n, slippageBps: 100 };
  const funding = { lock: swap.lock, amount: 100n, nonce: 1n, deadline: 1n, key, spend };
  const given = await givenFor({ ...where, bySingleSource }, funding, ports);
  return 'refusal' in given ? given.refusal : bound;
}

test('fault 345, evm: the bound of a claim follows what two RPCs say, and not the first alone', async () => {
  expect([
    await claimed({ agreed: 110n, first: 100n }, false),
    await claimed({ agreed: 'differ', first: 100n }, true),
    await claimed({ agreed: 'away', first: 110n }, true),
  ]).toEqual([[108n], 'unavailable', [108n]]);
  await expect(claimed({ agreed: 'away', first: 100n }, false)).rejects.toThrow('not enough of them answer');
});

test('fault 345, evm: so does what a lock is made of at most', async () => {
  expect([
    await funded({ agreed: 100n, first: 190n }, false),
    await funded({ agreed: 'differ', first: 190n }, true),
    await funded({ agreed: 'away', first: 100n }, true),
  ]).toEqual([[101n], 'unavailable', [101n]]);
  await expect(funded({ agreed: 'away', first: 190n }, false)).rejects.toThrow('not enough of them answer');
});
