import { expect, test } from 'vitest';
import type { Earnings } from '../../../engine/contract/owner/earnings.ts';
import type { OwnerSwaps } from '../../../engine/contract/owner/swaps.ts';
import { earningsOf, msatOf } from '../../../renderer/pages/board/earnings.ts';
import { daysOf, periodOf, secondsOf, type Span } from '../../../renderer/pages/board/period.ts';
import { signedSats } from '../../../renderer/pages/board/sats.ts';
import { isAtRisk, riskUntil } from '../../../renderer/pages/board/swap-lines.ts';

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

const day = 86_400;
const dayOf = (over: Partial<Earnings['days'][number]>): Earnings['days'][number] => ({
  day: 0,
  pair: 'arkade_to_evm',
  swaps: 1,
  volume_sats: 100,
  earned: '3116',
  paid: '0',
  gas: [],
  ...over,
});

test('a period is summed up by pair and by day, with gas in the coin of its chain', () => {
  const { all, pairs, columns } = earningsOf({
    from: 0,
    to: 2 * day,
    days: [
      dayOf({ gas: [{ network: 'evm:137', amount: '31' }] }),
      dayOf({ pair: null, day, swaps: 0, volume_sats: 0, earned: '0', paid: '5.5' }),
    ],
  });
  const gas = [[`evm:137 ${coin}`, -31n]];
  expect([[...all.besides], [...(pairs[0]?.besides ?? [])], columns.map(({ besides }) => [...besides])]).toEqual([
    gas,
    gas,
    [gas, []],
  ]);
  expect([all.volume, all.earned, all.paid, pairs.map(({ pair }) => pair)]).toEqual([
    100n,
    3_116_000n,
    5_500n,
    ['arkade_to_evm', null],
  ]);
});

test('more days than can be drawn are drawn together, and none is left out or counted twice', () => {
  const days = Array.from({ length: 100 }, (_, place) => dayOf({ day: place * day }));
  const { columns } = earningsOf({ from: 0, to: 100 * day, days });
  expect([columns.length, columns[0]?.days, columns.at(-1)?.days]).toEqual([25, 4, 4]);
  expect(columns.reduce((sum, { swaps }) => sum + swaps, 0)).toBe(100);
  expect(earningsOf({ from: 0, to: 33 * day, days: [] }).columns.map((column) => column.days)).toEqual([
    ...Array.from({ length: 16 }, () => 2),
    1,
  ]);
});

test('a period is whole days of UTC, months too', () => {
  const now = Date.UTC(2026, 2, 15, 23, 30) / 1_000;
  const own = { first: '2026-01-02', last: '2026-01-01' };
  expect(['week', 'month', 'before', 'own'].map((span) => periodOf(span as Span, now, own))).toEqual([
    { first: '2026-03-09', last: '2026-03-15' },
    { first: '2026-03-01', last: '2026-03-15' },
    { first: '2026-02-01', last: '2026-02-28' },
    own,
  ]);
  expect([secondsOf(own), secondsOf({ first: '', last: '2026-01-01' })]).toEqual([null, null]);
  expect(secondsOf({ first: '1970-01-02', last: '1970-01-02' })).toEqual({ from: day, to: 2 * day - 1 });
  expect([daysOf({ from: day, to: 2 * day - 1 }), daysOf({ from: 0, to: 400 * day - 1 })]).toEqual([1, 400]);
});

test('what nobody paid for is at no risk, whatever its deadline is', () => {
  const lines = [line('pending', 5), line('serverfunded', 900), line('clientredeemed', 700)];
  expect([lines.filter(isAtRisk).length, riskUntil(lines), riskUntil(lines.slice(0, 1))]).toEqual([2, 900, undefined]);
});
