import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { holdsHalf, isFarDearer, usedUp, withMore } from '../../engine/quote/unpaid.ts';

const most = sats(8_000);
const spent = (all: number, strangers = all) => ({ all: sats(all), strangers: sats(strangers) });

test('whoever never paid a fee has half of the day, and an eighth by itself', () => {
  const stranger = (all: number, own: number) => usedUp({ all: spent(all), ofClient: [spent(own)] }, most, false);
  expect([stranger(3_999, 999), stranger(3_999, 1_000), stranger(4_000, 0)]).toEqual([null, 'client', 'all']);
});

test('fault 67: what strangers used up leaves the other half to those who paid before', () => {
  const payer = (all: number, own: number) =>
    usedUp({ all: spent(all, 4_000), ofClient: [spent(own, 1_000)] }, most, true);
  expect([payer(4_000, 1_000), payer(7_999, 1_999), payer(8_000, 1_000), payer(4_000, 2_000)]).toEqual([
    null,
    null,
    'all',
    'client',
  ]);
});

test('a client goes by more than one name, and each of them counts', () => {
  expect(usedUp({ all: spent(1_000), ofClient: [spent(0), spent(1_000)] }, most, false)).toBe('client');
});

test('what those who paid before used is no part of the strangers’ half', () => {
  expect(usedUp({ all: spent(6_000, 0), ofClient: [] }, most, false)).toBeNull();
  expect([withMore(spent(1, 1), sats(2), true), withMore(spent(1, 1), sats(2), false)]).toEqual([
    spent(3, 1),
    spent(3, 3),
  ]);
});

test('a ceiling of nothing leaves nothing', () => {
  expect([usedUp({ all: spent(0), ofClient: [] }, sats(0), true)]).toEqual(['all']);
});

test('fault 259: what a client has not paid for holds half of what is left, and the first one any part', () => {
  const holds = (held: number, more: number, all: ReturnType<typeof spent>, paidBefore = false) =>
    holdsHalf({ held: sats(held), more: sats(more), all }, most, paidBefore);
  // Strangers have 4,000, of which 2,000 are spent.
  expect([holds(0, 9_000, spent(2_000)), holds(500, 500, spent(2_500)), holds(500, 501, spent(2_500))]).toEqual([
    false,
    false,
    true,
  ]);
  expect([holds(2_000, 1_000, spent(4_000), true), holds(2_000, 1_001, spent(4_000), true)]).toEqual([false, true]);
});

test('what costs more than twice what was counted for it is far dearer', () => {
  expect([isFarDearer(sats(40), sats(20)), isFarDearer(sats(41), sats(20)), isFarDearer(sats(0), sats(0))]).toEqual([
    false,
    true,
    false,
  ]);
});
