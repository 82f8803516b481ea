import { describe, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { coin, coinPoint, otherPoint, preimage } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { deal, takeArkadeEvmCase, terms, tx } from './arkade-evm-cases.ts';
import { noLock, type TakeArkadeEvmProgress } from './taken.ts';

describe('fault 326, arkade: a client paid twice, and its provider never takes a coin', () => {
  const { machine, first } = takeArkadeEvmCase;
  const { amount, vhtlc } = deal.source;
  const unlocked = evmClocksAt(vhtlc.refundLocktime + 4 * 3_600);
  const look = (...coins: SeenCoin[]): Event => ({ is: 'vhtlc.seen', coins });
  const theirs = coin({ outpoint: coinPoint, amount });
  const other = coin({ outpoint: otherPoint, amount: sats(amount + 700n) });

  /** What was bought is ours, and the locktime has passed. */
  function after(...events: readonly Event[]) {
    let progress: TakeArkadeEvmProgress = {
      ...first,
      at: 'claimed',
      target: { ...noLock, lockTxid: tx.lock, claimTxid: tx.claim },
      expiresAt: theirs.expiresAt,
      coins: [theirs, other].map(({ outpoint, amount: holds }) => ({ outpoint, amount: holds, spent: false })),
    } as never;
    let effects: readonly Effect[] = [];
    for (const event of events) {
      const step = machine.step(terms, progress, event, unlocked);
      if (step !== 'stay') ({ progress, effects } = step);
    }
    const coins = effects.map((one) => ('coin' in one ? one.coin : one.do));
    return [progress.at, machine.open(terms, progress), machine.status(progress), coins];
  }

  function spent(of: SeenCoin, leaf: 'claim' | 'refund-without-receiver'): SeenCoin {
    const spend = leaf === 'claim' ? { leaf, preimage } : { leaf };
    return { ...of, spent: true, spentIn: tx.refund, spentBy: tx.refund, spend };
  }

  test('one is left to it, and the other comes back after the locktime', () => {
    const back = look(theirs, spent(other, 'refund-without-receiver'));
    expect([
      after(look(theirs, other)),
      after(look(theirs, other), { is: 'clock' }),
      after(look(theirs, other), { is: 'clock' }, look(theirs, other), back, back),
    ]).toEqual([
      ['funded', true, 'clientredeemed', []],
      ['refunding', true, 'clientredeemed', [otherPoint]],
      ['done', false, 'clientredeemed', []],
    ]);
  });

  test('where it takes the other after all, the one that was left to it comes back', () => {
    const theirClaim = look(theirs, spent(other, 'claim'));
    expect(after(look(theirs, other), { is: 'clock' }, theirClaim, { is: 'clock' })).toEqual([
      'refunding',
      true,
      'serverredeemed',
      [coinPoint],
    ]);
  });
});

test('fault 327, arkade: a swap that nobody paid, with a lock of its provider’s, ends at its locktime', () => {
  const { machine, first } = takeArkadeEvmCase;
  const eventOf = (label: string) => takeArkadeEvmCase.events.find((one) => one.label === label)!;
  const { event, now } = eventOf('the lock');
  const begun = machine.step(terms, first, event, now);
  const withheld = { is: 'provider.claim-withheld', reason: 'too late' } as const;
  const waits = begun === 'stay' ? begun : machine.step(terms, begun.progress, withheld, now);
  const look = eventOf('a look after the locktime');
  const ended = waits === 'stay' ? waits : machine.step(terms, waits.progress, look.event, look.now);
  expect([begun, waits, ended].map((step) => (step === 'stay' ? step : step.progress.at))).toEqual([
    'claiming',
    'funded',
    'lapsed',
  ]);
});
