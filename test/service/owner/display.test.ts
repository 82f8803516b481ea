import { expect, test } from 'vitest';
import { unix } from '../../../engine/domain/time.ts';
import { createDisplay } from '../../../engine/service/owner/display.ts';

const source = { url: 'https://prices.example', path: 'usd', currency: 'USD' };

/** A node whose clock and source are the test's. */
function scene() {
  const state = {
    wall: 1_700_000_000,
    fiat: source as typeof source | null,
    answer: (): Promise<number> => Promise.resolve(100_000),
    asked: 0,
  };
  const context = {
    runtime: { clock: { now: () => ({ wall: unix(state.wall) }) } },
    get config() {
      return { prices: { source: null, fiat: state.fiat }, explorers: { bitcoin: 'https://e.example/{txid}' } };
    },
  } as unknown as Parameters<typeof createDisplay>[0];
  const display = createDisplay(context, async () => {
    state.asked += 1;
    return state.answer();
  });
  return { state, display };
}

test('nobody is asked without a source', async () => {
  const { state, display } = scene();
  state.fiat = null;
  expect([await display(), state.asked]).toEqual([
    { fiat: null, trouble: null, explorers: { bitcoin: 'https://e.example/{txid}' } },
    0,
  ]);
});

test('a source is asked once a minute, by however many who look, and its price has an age', async () => {
  const { state, display } = scene();
  const both = await Promise.all([display(), display()]);
  state.wall += 59;
  const before = await display();
  const questions = state.asked;
  state.wall += 1;
  const after = await display();
  expect([both[0]?.fiat?.price, before.fiat?.age_seconds, questions, after.fiat?.age_seconds, state.asked]).toEqual([
    100_000, 59, 1, 0, 2,
  ]);
});

test('a price outlives silence for a day, with the reason beside it, and no longer', async () => {
  const { state, display } = scene();
  await display();
  state.answer = () => Promise.reject(new Error('it answered 503'));
  state.wall += 86_400;
  const old = await display();
  state.wall += 60;
  const later = await display();
  expect([old, later].map(({ fiat, trouble }) => [fiat, trouble])).toEqual([
    [{ currency: 'USD', price: 100_000, age_seconds: 86_400 }, 'it answered 503'],
    [null, 'it answered 503'],
  ]);
});

test('a price is never shown in another currency than it was asked in', async () => {
  const { state, display } = scene();
  await display();
  state.fiat = { ...source, currency: 'EUR' };
  state.answer = () => Promise.reject(new Error('away'));
  expect(await display()).toMatchObject({ fiat: null, trouble: 'away' });
});
