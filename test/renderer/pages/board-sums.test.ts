import { expect, test } from 'vitest';
import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';
import type { OwnerSwaps } from '../../../engine/contract/owner/swaps.ts';
import { earningsOf, msatOf } from '../../../renderer/pages/board/earnings.ts';
import { signedSats } from '../../../renderer/pages/board/sats.ts';
import { isAtRisk, riskUntil } from '../../../renderer/pages/board/swap-lines.ts';

const row = (over: Partial<LedgerRow>): LedgerRow => ({
  time: 100,
  swap_id: 'one',
  pair: 'arkade_to_evm',
  kind: 'protocol-fee',
  network: 'arkade',
  asset: 'btc',
  amount: '3116',
  ...over,
});
const coin = `0x${'0'.repeat(40)}`;
const line = (status: string, deadline: number | null) =>
  ({ status, deadline, slack_seconds: deadline }) as OwnerSwaps['swaps'][number];

test('sats are whole, so that no point before three digits reads as thousands', () => {
  expect(['204.904', '-212.5', '0.4', '-0.4', '-7'].map((text) => signedSats(msatOf(text)))).toEqual([
    '204',
    '−213',
    '0',
    '−1',
    '−7',
  ]);
});

test('gas and fees in tokens are part of each result, in their own unit', () => {
  const { all, pairs, days } = earningsOf(
    [row({}), row({ network: 'evm:137', asset: coin, amount: '-31' }), row({ pair: null, amount: '-5', time: 300 })],
    [0, 200],
  );
  const gas = [[`evm:137 ${coin}`, -31n]];
  expect([[...all.besides], [...(pairs[0]?.besides ?? [])], days.map(({ besides }) => [...besides])]).toEqual([
    gas,
    gas,
    [gas, []],
  ]);
});

test('what nobody paid for is at no risk, whatever its deadline is', () => {
  const lines = [line('pending', 5), line('serverfunded', 900), line('clientredeemed', 700)];
  expect([lines.filter(isAtRisk).length, riskUntil(lines), riskUntil(lines.slice(0, 1))]).toEqual([2, 900, undefined]);
});
