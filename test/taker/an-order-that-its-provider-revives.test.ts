import { describe, expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { takenDirections } from '../../engine/taker/directions.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { start } from '../swap/cases.ts';
import { evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { takeEvmArkadeCase } from './evm-arkade-cases.ts';
import { takeEvmBitcoinCase } from './evm-bitcoin-cases.ts';
import { lock, lockOf, takeEvmLightningCase } from './evm-lightning-cases.ts';

type AnyMachine = Machine<object, { readonly at: string; readonly said?: SwapStatus }>;

const cases = {
  'evm-lightning': takeEvmLightningCase,
  'evm-bitcoin': takeEvmBitcoinCase,
  'evm-arkade': takeEvmArkadeCase,
};

const minute = 60;
const says = (status: SwapStatus): Event => ({ is: 'provider.seen', status });

/** Where an order comes to, by one event after another. */
function orderOf(name: keyof typeof cases) {
  const { terms, first, events } = cases[name];
  const machine = cases[name].machine as unknown as AnyMachine;
  let progress = first as { readonly at: string; readonly said?: SwapStatus };
  const tokens = events.find(({ label }) => label === 'the tokens')?.event;
  if (tokens === undefined) throw new Error('no event brings the tokens');
  const hears = (event: Event, at = start + 2 * minute): string => {
    const step = machine.step(terms, progress, event, evmClocksAt(at));
    if (step === 'stay') return 'stay';
    ({ progress } = step);
    return progress.at;
  };
  const sees = (locks: readonly object[], at: number): string => {
    const look = { is: 'evm.seen', network, height: 60_000_030, time: unix(at - 2), asked: unix(at), locks };
    return hears(look as never, at);
  };
  const turn = () => {
    const { phase, turn } = takenDirections[name].steps(progress as TakerProgress, terms);
    return [phase, turn.who, turn.step];
  };
  return { tokens, hears, sees, turn, word: () => progress.said };
}

describe.each(Object.keys(cases) as (keyof typeof cases)[])('%s', (name) => {
  test('fault 277, evm: a copy of an order that its provider calls pending again signs nothing', () => {
    const { hears, tokens } = orderOf(name);
    expect([hears({ is: 'copied' }), hears(says('expired')), hears(says('pending')), hears(tokens)]).toEqual([
      'waiting',
      'waiting',
      'stay',
      'stay',
    ]);
  });

  test.each(['funding', 'waiting'])(
    'fault 277, evm: nothing is signed anew for an order that is called pending again while it is %s',
    (where) => {
      const { hears, tokens, word } = orderOf(name);
      const over = start + 23 * minute;
      const began = [hears(tokens), hears(says('expired'))];
      if (where === 'funding') hears(says('pending'));
      const ran = hears({ is: 'clock' }, over);
      if (where === 'waiting') hears(says('pending'), over);
      expect([began, ran, word(), hears(tokens, over + 2 * minute)]).toEqual([
        ['funding', 'funding'],
        'waiting',
        'expired',
        'stay',
      ]);
    },
  );

  test('fault 277, evm: nothing is signed anew for a lock that is gone, of an order that had ended', () => {
    const { hears, sees, tokens } = orderOf(name);
    const over = start + 30 * minute;
    const began = [hears(tokens), sees([lockOf()], start + 3 * minute), hears(says('expired'))];
    const declined = hears({ is: 'provider.declined', reason: 'it is locked' });
    hears(says('pending'));
    expect([began, declined, sees([], over), hears(tokens, over + 20 * minute)]).toEqual([
      ['funding', 'funded', 'asking'],
      'funded',
      'waiting',
      'stay',
    ]);
  });

  test('fault 277, evm: nobody is asked to pay for an order that had ended', () => {
    const { hears, tokens, turn } = orderOf(name);
    expect(turn()).toEqual(['pay', 'you', 'pay']);
    hears(says('expired'));
    hears(says('pending'));
    expect([hears(tokens), turn()]).toEqual(['stay', ['wait', 'nobody', 'closed']]);
  });

  test.each(['clientfundingseen', 'serverfunded'] as const)(
    'fault 277, evm: nobody is asked to pay for an order that had ended and is called %s',
    (word) => {
      const order = orderOf(name);
      const { hears, tokens, turn } = order;
      hears(says('expired'));
      hears(says(word));
      expect([order.word(), hears(tokens), turn()]).toEqual(['expired', 'stay', ['wait', 'nobody', 'closed']]);
    },
  );

  test('fault 277, evm: nobody is asked to pay for an order that is called paid before it was', () => {
    const { hears, tokens, turn } = orderOf(name);
    hears(says('clientfundingseen'));
    expect([hears(tokens), turn()]).toEqual(['stay', ['wait', 'nobody', 'closed']]);
  });

  test('a word of its provider counts again once a lock shows, for an order that had ended', () => {
    const { hears, sees, tokens, word } = orderOf(name);
    hears(tokens);
    const ended = [hears(says('expired')), hears(says('clientfundingseen')), word()];
    const funded = sees([lockOf()], start + 3 * minute);
    hears(says('clientfunded'));
    expect([ended, funded, word()]).toEqual([['funding', 'stay', 'expired'], 'funded', 'clientfunded']);
  });

  test('a lock by the signature that was given is still seen for an order that had ended, and comes back', () => {
    const { hears, sees, tokens } = orderOf(name);
    const over = start + 23 * minute;
    hears(tokens);
    hears(says('expired'));
    expect([
      hears({ is: 'clock' }, over),
      sees([lockOf()], over + minute),
      hears({ is: 'clock' }, Number(lock.timelock) + minute),
    ]).toEqual(['waiting', 'funded', 'refunding']);
  });

  test('an order of which its provider says the same all along is signed anew once a signature ran out', () => {
    const { hears, tokens } = orderOf(name);
    const over = start + 23 * minute;
    hears(tokens);
    hears(says('pending'));
    expect([hears({ is: 'clock' }, over), hears(says('pending'), over), hears(tokens, over + 2 * minute)]).toEqual([
      'waiting',
      'stay',
      'funding',
    ]);
  });
});
