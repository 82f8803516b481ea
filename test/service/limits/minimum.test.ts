import { expect, test } from 'vitest';
import type { DirectionName } from '../../../engine/domain/chain.ts';
import { noSats, plus, sats, type Sats } from '../../../engine/domain/money.ts';
import { feeUp } from '../../../engine/legs/onchain/size.ts';
import { bytesOf, gasOf, leastWorth, type Prices } from '../../../engine/quote/gas.ts';
import type { Direction } from '../../../engine/service/directions/direction.ts';
import { directions } from '../../../engine/service/directions/directions.ts';

const locked = ({ gas }: Prices) => plus(gas(gasOf.lock), gas(gasOf.refund));
const relayed = ({ gas }: Prices) => plus(gas(gasOf.relayFund), gas(gasOf.relayRefund));
const coin = ({ bytes }: Prices) => plus(bytes(bytesOf.fund), bytes(bytesOf.refund));
const nothing = () => noSats;

/** What a swap makes us send whose client lets us do all of it and claims nothing. */
const unclaimed: Readonly<Record<DirectionName, (now: Prices) => Sats>> = {
  'lightning-arkade': nothing,
  'arkade-lightning': nothing,
  'bitcoin-arkade': nothing,
  'bitcoin-lightning': nothing,
  'arkade-evm': locked,
  'lightning-evm': locked,
  'bitcoin-evm': locked,
  'evm-lightning': relayed,
  'evm-arkade': relayed,
  'arkade-bitcoin': coin,
  'lightning-bitcoin': coin,
  'evm-bitcoin': (now) => plus(relayed(now), coin(now)),
};

/** What it makes us send to take what its client gave. */
const taking: Readonly<Record<Direction['source'], (now: Prices) => Sats>> = {
  Lightning: nothing,
  Arkade: nothing,
  Bitcoin: ({ bytes }) => bytes(bytesOf.claim),
  evm: ({ gas }) => gas(gasOf.claim),
};

const prices = [
  [10_000n, 1],
  [100n, 2],
  [50_000n, 80],
] as const;

test.each(directions.all.map((direction) => [direction.name, direction] as const))(
  'fault 67: the least of %s is three times what it costs us unclaimed, and what taking costs',
  (name, direction) => {
    for (const [perSat, rate] of prices) {
      const now: Prices = { gas: (units) => sats((units + perSat - 1n) / perSat), bytes: (size) => feeUp(size, rate) };
      const least = leastWorth(direction.costs(now));
      expect(least).toBeGreaterThanOrEqual(3n * unclaimed[name](now));
      expect(least).toBeGreaterThanOrEqual(3n * taking[direction.source](now));
    }
  },
);
