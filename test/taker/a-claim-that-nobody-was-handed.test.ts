import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { SentState } from '../../engine/legs/evm/events.ts';
import type { Claiming } from '../../engine/taker/halves/evm/claim/terms.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { start } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { noLock } from './taken.ts';
import { everyCase } from './every-case.ts';

test.each(['lightning-evm', 'bitcoin-evm', 'arkade-evm'] as const)(
  'fault 126, evm: %s, whose claim was handed to nobody in time, has its secret and what it gave',
  (direction) => {
    const { machine, terms, first } = everyCase[direction];
    const txid = 'ab'.repeat(32);
    const target: Claiming = {
      ...noLock,
      ...{ by: 'node', since: unix(start + 60), sent: txid, declined: null, alone: false, lockTxid: 'cd'.repeat(32) },
    };
    const p = { ...first, at: 'claiming', target } as unknown as TakerProgress;
    const hear = (state: SentState) =>
      machine.step(terms, p, { is: 'evm.sent', purpose: 'taker-claim', txid, state }, evmClocksAt(start + 120));
    const stays = hear({ is: 'gone', unsent: true });
    expect(stays).toMatchObject({
      progress: { at: expect.stringMatching(/^(funded|waiting)$/) as string },
      effects: [],
      supersedes: ['evm'],
    });
    // One that somebody was handed is made again, whatever became of its place.
    expect(hear({ is: 'gone' })).toMatchObject({
      progress: { at: 'claiming' },
      effects: [{ do: 'evm.send', act: { is: 'taker-claim' } }],
    });
  },
);
