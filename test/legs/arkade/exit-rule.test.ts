import { expect, test } from 'vitest';
import { day, hour, minute, seconds, unix } from '../../../engine/domain/time.ts';
import { exitTakes, longestRest, mustExit, type ExitFacts } from '../../../engine/legs/arkade/exit-rule.ts';

const now = unix(2_000_000_000);
const delay = seconds(day);
const takes = exitTakes({ transactions: 4, delay });

function facts(change: Partial<ExitFacts>): ExitFacts {
  return {
    awayFor: seconds(2 * hour),
    distrusted: false,
    whose: 'swap',
    transactions: 4,
    delay,
    deadline: unix(now + takes + hour),
    now,
    ...change,
  };
}

test.each<[string, Partial<ExitFacts>, boolean]>([
  ['an operator that answers, whatever the deadline', { awayFor: null, deadline: now }, false],
  ['five minutes, with the deadline there', { awayFor: seconds(5 * minute), deadline: now }, false],
  ['two hours, with time left', {}, false],
  ['two hours, and just time enough to leave', { deadline: unix(now + takes) }, true],
  ['two hours, and four hundred transactions to go', { transactions: 400 }, true],
  ['half a day, of a swap', { awayFor: seconds(12 * hour) }, true],
  ['half a day, of the wallet', { awayFor: seconds(12 * hour), whose: 'wallet' }, false],
  ['three days, of the wallet', { awayFor: seconds(3 * day), whose: 'wallet' }, true],
  ['no time at all, with an operator that denies the coin', { awayFor: null, distrusted: true }, true],
  [
    'no time, with a refund that stands half done',
    { awayFor: null, unfinishedRefundSince: unix(now - hour + 1) },
    false,
  ],
  ['no time, with one that has stood for an hour', { awayFor: null, unfinishedRefundSince: unix(now - hour) }, true],
  [
    'no time, with one whose coin expires soon',
    { awayFor: null, unfinishedRefundSince: unix(now + day), deadline: unix(now + takes) },
    true,
  ],
])('away for %s', (_, change, leaves) => {
  expect(mustExit(facts(change))).toBe(leaves);
});

test('leaving takes a block for each transaction, the delay of the leaf, and six hours', () => {
  expect(takes).toBe(4 * 750 + day + 6 * hour);
});

test('the rest after a failure is a quarter of what is left, and no less than a block', () => {
  const rests = [8 * hour, 4 * hour, 0, -day].map((left) =>
    longestRest(facts({ deadline: unix(now + takes - 6 * hour + left) })),
  );
  expect(rests).toEqual([2 * hour, hour, 600, 600]);
});
