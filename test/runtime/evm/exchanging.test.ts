import { expect, test } from 'vitest';
import type { DexPort } from '../../../engine/quote/ports.ts';
import { exchanging } from '../../../engine/runtime/networks/evm/exchanging.ts';
import { evmLightningTerms as swap, account, network } from '../../swap/evm-cases.ts';

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
    { network, contracts: swap.contracts },
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
