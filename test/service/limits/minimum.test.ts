import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { feeUp } from '../../../engine/legs/onchain/size.ts';
import { bytesOf, gasOf, leastWorth, type Prices } from '../../../engine/quote/gas.ts';
import { arkadeEvmDirection } from '../../../engine/service/directions/arkade-evm.ts';
import { evmBitcoinDirection } from '../../../engine/service/directions/evm-bitcoin.ts';
import { evmLightningDirection } from '../../../engine/service/directions/evm-lightning.ts';

/** What a swap makes us send whose client lets us do all of it and claims nothing. */
const never = [
  [arkadeEvmDirection, ({ gas }: Prices) => gas(gasOf.lock) + gas(gasOf.refund)],
  [evmLightningDirection, ({ gas }: Prices) => gas(gasOf.relayFund) + gas(gasOf.relayRefund)],
  [
    evmBitcoinDirection,
    ({ gas, bytes }: Prices) =>
      gas(gasOf.relayFund) + bytes(bytesOf.fund) + bytes(bytesOf.refund) + gas(gasOf.relayRefund),
  ],
] as const;

test.each(never)('fault 67: the least of a swap is three times what it costs us unclaimed (%#)', (direction, cost) => {
  for (const [perSat, rate] of [
    [10_000n, 1],
    [100n, 2],
    [50_000n, 80],
  ] as const) {
    const now: Prices = { gas: (units) => sats((units + perSat - 1n) / perSat), bytes: (size) => feeUp(size, rate) };
    expect(leastWorth(direction.costs(now))).toBeGreaterThanOrEqual(3n * cost(now));
  }
});
