import { expect, test } from 'vitest';
import { day, hour, unix } from '../../engine/domain/time.ts';
import { createAlerts } from '../../engine/runtime/alerts.ts';

function alertsAt(start = 1_760_000_000) {
  let now = start;
  const alerts = createAlerts(() => unix(now));
  const lines: [string | null, string, number][] = [];
  alerts.on(({ swap, sentence, count }) => void lines.push([swap, sentence, count]));
  return { alerts, lines, wait: (seconds: number) => void (now += seconds) };
}

test('the same alert is told at its first, tenth and hundredth time, with the count', () => {
  const { alerts, lines } = alertsAt();
  for (let i = 0; i < 250; i++) alerts.raise('a', 'The node refused it.');
  expect(lines).toEqual([1, 10, 100].map((count) => ['a', 'The node refused it.', count]));
});

test('it is told once more after an hour, and as new after a day of silence', () => {
  const { alerts, lines, wait } = alertsAt();
  alerts.raise('a', 'no');
  alerts.raise('a', 'no');
  wait(hour);
  alerts.raise('a', 'no');
  alerts.raise('a', 'no');
  wait(day);
  alerts.raise('a', 'no');
  expect(lines.map(([, , count]) => count)).toEqual([1, 3, 1]);
});

test('a height or a sum that moves makes no new alert; another swap, the node or other words do', () => {
  const { alerts, lines } = alertsAt();
  alerts.raise('a', 'at block 100');
  alerts.raise('a', 'at block 101');
  alerts.raise('b', 'at block 101');
  alerts.raise(null, 'at block 101');
  alerts.raise('a', 'after block 101');
  expect(lines).toEqual([
    ['a', 'at block 100', 1],
    ['b', 'at block 101', 1],
    [null, 'at block 101', 1],
    ['a', 'after block 101', 1],
  ]);
});

test('fault 109: a wall that was set back by a year keeps no alert from being told again', () => {
  const { alerts, lines, wait } = alertsAt();
  alerts.raise('a', 'no');
  alerts.raise('a', 'no');
  wait(-365 * day);
  alerts.raise('a', 'no');
  expect(lines.map(([, , count]) => count)).toEqual([1, 1]);
});
