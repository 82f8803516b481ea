import { expect, test } from 'vitest';
import type { Event } from '../../engine/swap/machine.ts';
import type { EffectOf } from '../../engine/runtime/networks/act.ts';
import type { ArkadeContext } from '../../engine/runtime/networks/arkade/context.ts';
import { submit } from '../../engine/runtime/networks/arkade/submit.ts';
import { anyFailure } from '../support/failure.ts';
import { coinPoint, txid } from '../swap/cases.ts';

const effect = {
  ...{ do: 'vhtlc.submit', purpose: 'claim', txid: txid.claim, coin: coinPoint },
  onlyIf: { reveal: {} },
} as unknown as EffectOf<'vhtlc.submit'>;

/** A claim that shows the secret, whose first call may have arrived; by the second it is too late to show it. */
function tried() {
  const answers: Event[] = [];
  const notes: string[] = [];
  const state = { calls: 0, isFull: true, isLagging: true };
  const context = {
    row: { subject: 'swap' },
    answer: (event: Event) => void answers.push(event),
    store: {
      transactions: { bytes: () => new Uint8Array(3) },
      intents: {
        note(_: string, subject: string) {
          if (state.isFull) throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
          notes.push(subject);
        },
        has: (_: string, subject: string) => notes.includes(subject),
        drop: (_: string, subject: string) =>
          void notes.splice(0, notes.length, ...notes.filter((one) => one !== subject)),
      },
    },
    bundled: async () => !state.isLagging,
    judge: { forbidden: async () => (state.calls === 0 ? null : 'it is too late') },
    ports: {
      arkade: {
        state: async () => 'unseen',
        async submit() {
          state.calls += 1;
          throw anyFailure('away', 'ask-first', 'no answer came');
        },
      },
    },
  } as unknown as ArkadeContext;
  return { context, state, answers, notes };
}

test('fault 3: no secret is shown without a note of it, and one that may be out is not given up', async () => {
  const { context, state, answers, notes } = tried();
  await expect(submit(effect, context)).rejects.toThrow('the disk is full');
  expect({ calls: state.calls, answers, notes }).toEqual({ calls: 0, answers: [], notes: [] });
  state.isFull = false;
  state.isLagging = false;
  await expect(submit(effect, context)).rejects.toThrow('no answer came');
  state.isFull = true;
  await expect(submit(effect, context)).rejects.toThrow('no answer came');
  expect({ calls: state.calls, answers, notes }).toEqual({ calls: 2, answers: [], notes: ['swap'] });
});

test('fault 295, arkade: an operator is shown a secret once the bundle says so, and else nothing says it', async () => {
  const { context, state, notes } = tried();
  state.isFull = false;
  await expect(submit(effect, context)).rejects.toThrow('the rescue bundle');
  expect({ calls: state.calls, notes }).toEqual({ calls: 0, notes: [] });
  state.isLagging = false;
  await expect(submit(effect, context)).rejects.toThrow('no answer came');
  expect({ calls: state.calls, notes }).toEqual({ calls: 1, notes: ['swap'] });
});
