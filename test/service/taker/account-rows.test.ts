import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import type { AccountHolding } from '../../../engine/service/taker/account-holdings.ts';
import { rowOf } from '../../../engine/service/taker/accounts.ts';

const holding = (held: bigint, promised: bigint): AccountHolding => ({
  token: asEvmAddress(new Uint8Array(20).fill(1)),
  symbol: 'WBTC',
  decimals: 8,
  held,
  promised,
  gas: 60_000n,
  mostWei: 0n,
  available: held > promised ? held - promised : 0n,
});

test('for a swap that nobody has paid nothing lies at the account, and no more is kept than lies there', () => {
  const rows = [holding(0n, 100_561n), holding(300n, 100_561n), holding(100_562n, 100_561n)].map(rowOf);
  expect(rows.map((row) => [row.kept, row.available])).toEqual([
    ['0', '0'],
    ['300', '0'],
    ['100561', '1'],
  ]);
});
