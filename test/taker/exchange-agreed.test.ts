import { expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { agreedExchange } from '../../engine/taker/evm/exchange.ts';

/** A promise of 1,000,000 units with one percent of slippage, where our own exchange brings so many. */
function promised(brings: bigint) {
  return agreedExchange({ token: {}, slippageBps: 100, brings: async () => brings } as never, {
    chain: { pegged: { decimals: 8 } } as never,
    source: sats(1_000_000),
    quoted: { target: 1_000_000n, fees: sats(15_000) },
    agreed: undefined,
  });
}

test('fault 376, evm: a provider takes no part of the slippage as a fee that it does not show', async () => {
  expect(await promised(985_500n)).toMatchObject({ sentence: expect.stringContaining('would bring 985500 now') });
});

test('a price that moved a little between the offer and the create is taken', async () => {
  expect([isRefusal(await promised(996_000n)), isRefusal(await promised(1_010_000n))]).toEqual([false, false]);
});
