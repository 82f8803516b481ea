import { expect, test } from 'vitest';
import { createTurns } from '../../../engine/adapters/arkade/turns.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('one piece runs in a turn of the event loop, what makes money safe first, and the rest has its share', async () => {
  const turns = createTurns();
  const ran: string[] = [];
  const inTurn: number[] = [];
  for (let i = 0; i < 3; i++) void turns.later(() => ran.push('later'));
  for (let i = 0; i < 16; i++) void turns.first(() => ran.push('first'));
  for (let i = 0; i < 19; i++) {
    await nextTurn();
    inTurn.push(ran.length);
  }
  expect(inTurn.every((count, i) => count - (inTurn[i - 1] ?? 0) <= 1)).toBe(true);
  await nextTurn();
  expect(ran.map((kind) => kind[0]).join('')).toBe('fffffffl'.repeat(2) + 'ffl');
});

test('what comes of pieces that wait is handed out by eight, and of the last at once', async () => {
  const turns = createTurns();
  const answers: number[] = [];
  for (let i = 0; i < 18; i++) void turns.first(() => i).then((one) => answers.push(one));
  const inTurn: number[] = [];
  for (let i = 0; i < 18; i++) {
    await nextTurn();
    await nextTurn();
    inTurn.push(answers.length);
  }
  expect([...new Set(inTurn)]).toEqual([0, 8, 16, 18]);
  expect(answers).toEqual(answers.toSorted((a, b) => a - b));
});

test('a piece that fails is for who asked for it, and the next ones run', async () => {
  const turns = createTurns();
  const failing = turns.first(() => {
    throw new Error('no');
  });
  const other = turns.later(() => 7);
  await expect(failing).rejects.toThrow('no');
  expect(await other).toBe(7);
  expect(await turns.first(() => 8)).toBe(8);
});
