import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { start } from '../swap/cases.ts';
import { evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { deal, lock, lockOf, terms, tx } from '../taker/evm-lightning-cases.ts';
import { takeEvmLightning, type TakeEvmLightningProgress } from '../taker/taken.ts';

const signedUntil = unix(start + 1_200);
const timelock = Number(lock.timelock);
const funding: TakeEvmLightningProgress = {
  at: 'funding',
  by: 'node',
  sent: tx.sent,
  deal,
  said: 'pending',
  made: null,
  takenBy: null,
  relayed: false,
  signedUntil,
  target: {},
};

/** The client's half looks at the chain at these moments, and hears the clock. */
function play(looks: readonly (readonly [number, SeenLock])[]): { at: string; acts: string[] } {
  let progress: TakeEvmLightningProgress = funding;
  const effects: Effect[] = [];
  for (const [at, one] of looks) {
    const look: Event = { is: 'evm.seen', network, height: 1, time: unix(at - 2), asked: unix(at), locks: [one] };
    for (const event of [look, { is: 'clock' } as const]) {
      const step = takeEvmLightning.step(terms, progress, event, evmClocksAt(at));
      if (step === 'stay') continue;
      progress = step.progress;
      effects.push(...step.effects);
    }
  }
  return { at: progress.at, acts: effects.map((one) => (one.do === 'evm.send' ? one.act.is : one.do)) };
}

const buried = { depositor: null, confirmations: terms.burial };

test('fault 88, evm: a lock of which RPCs differ whose it is comes back to its client at the timelock', () => {
  const waiting = [start + 600, start + 2_000, timelock - 60].map((at) => [at, lockOf(buried)] as const);
  expect(play(waiting)).toEqual({ at: 'waiting', acts: [] });
  expect(play([...waiting, [timelock + 60, lockOf(buried)]])).toEqual({ at: 'refunding', acts: ['taker-refund'] });
});

test('fault 88, evm: its refund is the end, though no RPC knows any more whose it was', () => {
  const state = { is: 'refunded', txid: tx.refund, confirmations: terms.burial } as const;
  for (const depositor of [null, 'nobody'] as const)
    expect(
      play([
        [timelock + 60, lockOf(buried)],
        [timelock + 120, lockOf({ ...buried, depositor, state })],
      ]).at,
    ).toBe('done');
});

test('fault 88, evm: for what no two RPCs show of a transaction nothing is sent', () => {
  expect(play([[timelock + 60, lockOf({ depositor: null, confirmations: 0 })]])).toEqual({ at: 'waiting', acts: [] });
});
