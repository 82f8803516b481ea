import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Safety } from '../../../renderer/pages/swaps/safety.tsx';

const times = { refund_alone_from: 1_795_000_000, last: null } as TakerSwap['times'];
const swap = (over: Partial<TakerSwap>): TakerSwap =>
  ({
    phase: 'wait',
    attention: 'waiting',
    times,
    refund: { state: 'later' },
    reason: null,
    detail: null,
    ...over,
  }) as TakerSwap;
const text = (over: Partial<TakerSwap>) =>
  renderToStaticMarkup(<Safety age={0} swap={swap(over)} />).replaceAll(/<[^>]+>/g, '');

test('while money is on its way, the page says from when it comes back with nobody’s help', () => {
  expect(text({})).toMatch(/^Your money is safe\..*refundable from \w{3} \d+ \w{3}, \d\d:\d\d with nobody’s help\.$/);
  expect(text({ phase: 'refund' })).toMatch(/Refundable from \w{3} \d+ \w{3}, \d\d:\d\d with nobody’s help\.$/);
});

test('over Lightning no date is promised, for it comes back by itself', () => {
  const none = { ...times, refund_alone_from: null };
  expect(text({ times: none })).toBe(
    'Your money is safe. If the swap stops, your wallet gets all of it back by itself.',
  );
});

test('what can be taken back already is said so, and a date that has passed is none', () => {
  expect(text({ phase: 'refund', times: { ...times, now: 1_795_000_001 } })).toBe(
    'Your money is safe. It can be taken back now, with nobody’s help.',
  );
});

test('danger says after when money can be lost, and promises nothing', () => {
  const danger = text({ attention: 'danger', times: { ...times, last: 1_795_000_000 }, reason: 'taken-back' });
  expect([/^Money can be lost after \w{3} \d+/.test(danger), danger.includes('safe')]).toEqual([true, false]);
});
