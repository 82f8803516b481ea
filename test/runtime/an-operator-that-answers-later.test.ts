import { expect, test } from 'vitest';
import type { SubmitAnswer } from '../../engine/legs/arkade/transaction.ts';
import type { EffectOf } from '../../engine/runtime/networks/act.ts';
import type { ArkadeContext } from '../../engine/runtime/networks/arkade/context.ts';
import { submit } from '../../engine/runtime/networks/arkade/submit.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { anyFailure } from '../support/failure.ts';
import { coinPoint, txid } from '../swap/cases.ts';

const effect = {
  ...{ do: 'vhtlc.submit', purpose: 'claim', txid: txid.claim, coin: coinPoint },
  onlyIf: { reveal: {} },
} as unknown as EffectOf<'vhtlc.submit'>;

/** A claim that is tried twice, the second time past its line; an operator that denies to have it. */
async function triedTwice(first: () => Promise<SubmitAnswer>): Promise<{ calls: number; answers: string[] }> {
  const answers: string[] = [];
  const notes = new Set<string>();
  let calls = 0;
  let isLate = false;
  const context = {
    row: { subject: 'swap' },
    answer: (event: Event) => void answers.push(event.is === 'vhtlc.refused' ? event.why : event.is),
    store: {
      transactions: { bytes: () => new Uint8Array(3), close: () => undefined },
      intents: {
        note: (_: string, of: string) => void notes.add(of),
        has: (_: string, of: string) => notes.has(of),
        drop: (_: string, of: string) => void notes.delete(of),
      },
    },
    bundled: () => Promise.resolve(true),
    judge: { forbidden: () => Promise.resolve(isLate ? 'it is too late' : null) },
    ports: {
      arkade: {
        state: () => Promise.resolve('unseen'),
        submit() {
          calls += 1;
          return first();
        },
      },
    },
  } as unknown as ArkadeContext;
  await submit(effect, context).catch(() => undefined);
  isLate = true;
  await submit(effect, context).catch(() => undefined);
  return { calls, answers };
}

const banned = { is: 'later', reason: 'the script is banned for a while', seconds: 10, alarm: true } as const;

test('fault 173, arkade: an operator that answers later has the secret, which stays out past its line', async () => {
  expect(await triedTwice(() => Promise.resolve(banned))).toEqual({ calls: 2, answers: [] });
});

test('fault 173, arkade: a claim that never left is called off past its line', async () => {
  const away = () => Promise.reject(anyFailure('away', 'safe', 'the operator is not reached'));
  expect(await triedTwice(away)).toEqual({ calls: 1, answers: ['late'] });
});
