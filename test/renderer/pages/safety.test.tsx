import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';
import { Safety } from '../../../renderer/pages/swaps/safety.tsx';

const times = { refund_alone_from: 1_795_000_000, last: null } as TakerSwap['times'];
const swap = (over: Partial<TakerSwap>): TakerSwap =>
  ({
    phase: 'wait',
    paid: { state: 'stands', amount: '1000' },
    turn: { who: 'provider', step: 'lock', until: null },
    give: { network: 'arkade' },
    attention: 'waiting',
    times,
    refund: { state: 'later' },
    reason: null,
    detail: null,
    ...over,
  }) as TakerSwap;
const text = (over: Partial<TakerSwap>, heardAt: number | null = null) =>
  renderToStaticMarkup(<Safety age={0} swap={swap(over)} heardAt={heardAt} />).replaceAll(/<[^>]+>/g, '');

test('while money is on its way, the page says from when it comes back with nobody’s help', () => {
  expect(text({})).toMatch(/^Your money is safe\..*refundable from \w{3} \d+ \w{3}, \d\d:\d\d with nobody’s help\.$/);
  expect(text({ phase: 'refund' })).toMatch(/Refundable from \w{3} \d+ \w{3}, \d\d:\d\d with nobody’s help\.$/);
});

test('over Lightning no date is promised, and that it is paid is said to be the provider’s word', () => {
  const none = { ...times, refund_alone_from: null };
  const sentence = text({ times: none, paid: { state: 'told', amount: null } });
  expect([/^The provider says that the invoice is paid\./.test(sentence), /refundable|safe/i.test(sentence)]).toEqual([
    true,
    false,
  ]);
});

test('of what was never seen to be paid nothing is said to be safe, nor that it is not to be paid again', () => {
  const unpaid = text({ paid: { state: 'none', amount: null }, turn: { who: 'nobody', step: 'closed', until: null } });
  expect(unpaid).toMatch(/^Sluice has seen no payment\. Do not pay any more\./);
  expect(unpaid).not.toMatch(/safe|pay again/);
});

test('while the node does not answer, the page says when it said what it shows, and that nothing goes on', () => {
  const stopped = text({}, 1_794_900_000);
  expect(stopped).toMatch(
    /^The node does not answer\. This is what it said at \w{3} \d+ \w{3}, \d\d:\d\d.*refundable from .* start it\.$/,
  );
  expect(stopped).not.toMatch(/is safe|claiming/);
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
