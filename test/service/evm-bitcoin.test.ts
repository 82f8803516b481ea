import { expect, test } from 'vitest';
import { plus, sats, type Sats } from '../../engine/domain/money.ts';
import { feeUp } from '../../engine/legs/onchain/size.ts';
import { feeReserve } from '../../engine/quote/ceilings.ts';
import { bytesOf, gasOf, leastWorth, networkFeeOf, type NetworkCosts } from '../../engine/quote/gas.ts';
import type { ServiceContext } from '../../engine/service/context.ts';
import { bitcoinArkadeDirection } from '../../engine/service/directions/bitcoin-arkade.ts';
import { onChain } from '../../engine/service/directions/direction.ts';
import { evmBitcoinDirection as direction } from '../../engine/service/directions/evm-bitcoin.ts';
import { stopped } from '../../engine/service/limits/limits.ts';
import type { Networks } from '../../engine/service/networks/networks.ts';

/** At so many sats per virtual byte, and a sat for each thousand units of gas. */
function costsAt(rate: number): NetworkCosts {
  return direction.costs({ gas: (units) => sats(units / 1_000n), bytes: (size) => feeUp(size, rate) });
}

test('a swap pays for its lock on the one chain, for our funding on the other, and for its relay', () => {
  const { source, target, flat, relay, exit } = costsAt(4);
  const [claim, fund] = [gasOf.claim / 1_000n, BigInt(4 * bytesOf.fund)];
  expect([source, target, flat, relay]).toEqual([claim + gasOf.relayFund / 1_000n, fund, 0n, gasOf.relayFund / 1_000n]);
  expect(exit).toBe(claim + fund + BigInt(4 * bytesOf.refund) + gasOf.relayRefund / 1_000n);
  expect(networkFeeOf(costsAt(4), true) - networkFeeOf(costsAt(4), false)).toBe(relay);
});

test('its minimum moves with what the Bitcoin chain asks for', () => {
  const [calm, dear] = [leastWorth(costsAt(2)), leastWorth(costsAt(60))];
  expect(dear - calm).toBe(9n * BigInt(58 * (bytesOf.fund + bytesOf.refund)));
});

test('it pays out no more than the wallet holds beside what pushes a funding', () => {
  const holding = (amount: Sats, floor = 0) =>
    direction.liquidity(
      {
        networks: { bitcoinFree: () => amount, feeReserve: () => ({ total: sats(floor) }) } as unknown as Networks,
      } as ServiceContext,
      'evm:137',
    );
  const share = plus(feeReserve, feeReserve);
  expect([holding(plus(share, sats(70_000))), holding(sats(1))]).toEqual([70_000n, 0n]);
  expect(holding(plus(share, sats(70_000)), 50_000)).toBe(20_000n);
});

test('nothing new is funded while what is open lacks its fees, and other directions go on', () => {
  const stops = (held: bigint | null, of: Parameters<typeof stopped>[1]) =>
    stopped(
      {
        runtime: { guard: { paused: () => null, closed: () => null } },
        config: { network: 'regtest' },
        networks: { closed: () => null, feeReserve: () => ({ held, total: 50_000n }), bitcoinRate: () => 5 },
        markets: { on: () => null, gas: () => null },
        live: () => true,
      } as unknown as ServiceContext,
      of,
    );
  expect(stops(49_999n, onChain(direction, 'evm:137'))).toMatchObject({
    refusal: 'unavailable',
    sentence: expect.stringMatching(/open swaps may need the fees first/) as string,
  });
  for (const held of [50_000n, null])
    expect(stops(held, onChain(direction, 'evm:137'))).not.toMatchObject({
      sentence: expect.stringMatching(/its fees first/) as string,
    });
  expect(stops(0n, bitcoinArkadeDirection)).toBeNull();
});
