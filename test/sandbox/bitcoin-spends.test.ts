import { expect, test } from 'vitest';
import { spendRows } from './bitcoin-spend-table.ts';
import { spent } from './bitcoin-spends.ts';
import { fund, openChain } from './bitcoin-support.ts';

test('every row has a name of its own', () => {
  expect(new Set(spendRows.map(({ name }) => name)).size).toBe(spendRows.length);
});

test.each(spendRows)('$name', ({ way, how, holds }) => {
  const chain = openChain();
  const funds = fund(chain, way.pkScript, 1_000_000n);
  chain.mine(1);
  chain.advance(3_600);
  chain.mine(12);
  const bytes = spent(way, how, funds);
  if (holds) expect(chain.submit(bytes).txid).toMatch(/^[0-9a-f]{64}$/);
  else expect(() => chain.submit(bytes)).toThrow();
});
