import { expect, test } from 'vitest';
import { unix, type Unix } from '../../engine/domain/time.ts';
import { noPeg, pegStops, rememberPeg, type PegMemory } from '../../engine/quote/peg.ts';

const start = 1_760_000_000;
const minute = 60;
const bound = 100;

/** Readings by minute, as basis points of a bitcoin by which the token is worth less; a hole is a minute of silence. */
function after(readings: readonly (number | null)[], from: PegMemory = noPeg): { memory: PegMemory; now: Unix } {
  let memory = from;
  readings.forEach((bps, i) => {
    if (bps === null) return;
    const at = unix(start + i * minute);
    memory = rememberPeg(memory, { pegged: 100_000 * (1 - bps / 10_000), bitcoin: 100_000, at }, bound);
  });
  return { memory, now: unix(start + (readings.length - 1) * minute) };
}

function stops(...readings: readonly (number | null)[]) {
  const { memory, now } = after(readings);
  return pegStops(memory, now);
}
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

test('fault 69, evm: beyond the bound for ten minutes stops new swaps, above it as below', () => {
  expect([stops(0, ...times(10, 101)), stops(0, ...times(11, 101))]).toEqual([null, 'apart']);
  expect(stops(0, ...times(11, -101))).toBe('apart');
  expect(stops(0, ...times(30, 99))).toBeNull();
});

test('one reading within the bound begins the ten minutes anew', () => {
  expect(stops(0, ...times(9, 300), 50, ...times(10, 300))).toBeNull();
});

test('within half of the bound for half an hour lets new swaps go on, and nothing less does', () => {
  const stopped = [0, ...times(11, 300)];
  expect([stops(...stopped, ...times(30, 49)), stops(...stopped, ...times(31, 49))]).toEqual(['apart', null]);
  expect(stops(...stopped, ...times(60, 51))).toBe('apart');
  expect(stops(...stopped, ...times(29, 49), 80, ...times(29, 49))).toBe('apart');
  expect(stops(...stopped, 49, ...times(29, null), 49)).toBe('apart');
});

test('nobody’s word stops new swaps: before the first one, and ten minutes after the last', () => {
  expect([pegStops(noPeg, unix(start)), stops(0, ...times(10, null)), stops(0, ...times(11, null))]).toEqual([
    'silent',
    null,
    'silent',
  ]);
  expect(stops(...times(20, null), 0)).toBeNull();
});

test('the first word decides by itself, for nothing was begun before it', () => {
  expect([stops(101), stops(99)]).toEqual(['apart', null]);
});

test('what is no number is beyond every bound', () => {
  const reading = { pegged: Number.NaN, bitcoin: 1, at: unix(start) };
  expect(pegStops(rememberPeg(noPeg, reading, bound), unix(start))).toBe('apart');
});
