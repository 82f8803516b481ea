import { expect, test } from 'vitest';
import type { RouteName } from '../../engine/contract/routes.ts';
import { createQuestions } from '../../main/questions.ts';

function opened(answer: boolean) {
  const asks: RouteName[] = [];
  const answers: (() => void)[] = [];
  let clock = 0;
  const question = createQuestions(
    (route) => {
      asks.push(route);
      return new Promise((resolve) => answers.push(() => resolve(answer)));
    },
    () => clock,
  );
  return {
    asks,
    question,
    answer: () => answers.shift()?.(),
    pass: (ms: number) => void (clock += ms),
  };
}

test('a page that calls a hundred times at once raises one question, and the others are a no', async () => {
  const { asks, question, answer } = opened(true);
  const all = Array.from({ length: 100 }, () => question('createTakerSwap'));
  answer();
  const answers = await Promise.all(all);
  expect([asks, answers.filter(Boolean).length]).toEqual([['createTakerSwap'], 1]);
});

test('after a no nobody is asked for half a minute, whatever is called', async () => {
  const { asks, question, answer, pass } = opened(false);
  const first = question('createTakerSwap');
  answer();
  expect(await first).toBe(false);
  pass(29_999);
  expect(await question('sendOnFromTaker')).toBe(false);
  pass(2);
  const later = question('sendOnFromTaker');
  answer();
  expect([await later, asks]).toEqual([false, ['createTakerSwap', 'sendOnFromTaker']]);
});

test('after a yes the next one is asked at once', async () => {
  const { asks, question, answer } = opened(true);
  for (const route of ['payTakerSwap', 'sendOnFromTaker'] as const) {
    const one = question(route);
    answer();
    expect(await one).toBe(true);
  }
  expect(asks).toEqual(['payTakerSwap', 'sendOnFromTaker']);
});
