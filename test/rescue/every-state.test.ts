import { describe, expect, test } from 'vitest';
import type { Effect, Machine } from '../../engine/swap/machine.ts';
import { type Case } from '../swap/cases.ts';
import { explore, type Move } from '../swap/explore.ts';
import { everyCase as providers } from '../swap/every-case.ts';
import { everyCase } from '../taker/every-case.ts';
import { takeEvmBitcoinCase } from '../taker/evm-bitcoin-cases.ts';

/** What gives our own money away, and not only prepares to. */
function gives(effect: Effect): boolean {
  switch (effect.do) {
    case 'pay':
      return true;
    case 'vhtlc.submit':
      return effect.purpose === 'lock';
    case 'evm.send':
      return effect.act.is === 'lock';
    case 'onchain.broadcast':
      return effect.push !== undefined;
    default:
      return false;
  }
}

/** What takes what the other side gave, or takes back what we gave. */
function takes(effect: Effect): boolean {
  switch (effect.do) {
    case 'vhtlc.claim':
    case 'vhtlc.refund':
    case 'htlc.spend':
    case 'hold.settle':
      return true;
    case 'evm.send':
      return effect.act.is === 'claim' || effect.act.is === 'refund';
    default:
      return false;
  }
}

const cases = Object.values(providers);

const namesOf = (moves: readonly Move<{ readonly at: string }>[]): string[] => [
  ...new Set(moves.map(({ from, label, step }) => `${from.at} ${label} -> ${step.progress.at}`)),
];

const entry = (machine: Machine<unknown, { readonly at: string }>, terms: unknown, progress: { readonly at: string }) =>
  machine.rescue?.(terms, progress) ?? null;

describe.each(cases.map((one) => ({ name: one.machine.name, one })))('$name', ({ one }) => {
  const { machine, terms } = one;
  const { moves } = explore(one);

  test('in every state from which our money leaves, a bundle holds what brings it back', () => {
    // Lost, the client has both: what we give again is its funding alone. And what has its end for good is not given.
    const isOver = (p: { readonly at: string; readonly end?: unknown }) =>
      p.at === 'lost' || (p.at === 'claimed' && p.end === 'refunded');
    const giving = moves.filter(({ step }) => !isOver(step.progress) && step.effects.some(gives));
    expect(giving.length).toBeGreaterThan(0);
    const without = giving.filter(
      ({ step }) =>
        entry(machine, terms, step.progress)?.refund === null || entry(machine, terms, step.progress) === null,
    );
    expect(namesOf(without)).toEqual([]);
  });

  test('in every state in which something is claimed or taken back, a bundle holds it', () => {
    // Settled, a refund of ours that won the race is the client's money: it waits for a person.
    const taking = moves.filter(({ step }) => step.progress.at !== 'claimed' && step.effects.some(takes));
    expect(taking.length).toBeGreaterThan(0);
    const without = taking.filter(({ step }) => entry(machine, terms, step.progress) === null);
    expect(namesOf(without)).toEqual([]);
  });

  test('once the source is claimed, what we gave is never taken back', () => {
    const claiming = moves.filter(({ step }) =>
      step.effects.some((effect) => effect.do === 'vhtlc.claim' || effect.do === 'hold.settle'),
    );
    const open = claiming.filter(({ step }) => entry(machine, terms, step.progress)?.shown !== true);
    expect(namesOf(open)).toEqual([]);
  });
});

/** What takes money of the client's, or gives it away. */
function moves(effect: Effect): boolean {
  switch (effect.do) {
    case 'provider.fund-evm':
    case 'provider.claim-evm':
    case 'provider.refund-evm':
    case 'provider.cosign':
    case 'provider.cosign-htlc':
      return true;
    case 'vhtlc.submit':
      return effect.purpose === 'claim';
    case 'evm.send':
      return effect.act.is.startsWith('taker-');
    default:
      return takes(effect);
  }
}

const clients = Object.values(everyCase) as unknown as readonly Case<unknown, { readonly at: string }>[];

test.each(clients.map((one) => ({ name: one.machine.name, one })))(
  '$name: whenever money of the client moves, a bundle holds where it is',
  ({ one }) => {
    const { machine, terms } = one;
    const moving = explore(one).moves.filter(({ step }) => step.effects.some(moves));
    expect(moving.length).toBeGreaterThan(0);
    expect(namesOf(moving.filter(({ step }) => entry(machine, terms, step.progress) === null))).toEqual([]);
    // One that is not signed yet is judged first, and signed before anybody is handed it (facts/faults.md 160).
    const claiming = moving.filter(({ step }) =>
      step.effects.some(
        (effect) =>
          (effect.do === 'vhtlc.submit' && effect.purpose === 'claim') ||
          effect.do === 'provider.claim-evm' ||
          (effect.do === 'onchain.broadcast' && step.progress.at === 'claiming') ||
          (effect.do === 'evm.send' && effect.act.is === 'taker-claim' && effect.onlyIf === undefined),
      ),
    );
    expect(namesOf(claiming.filter(({ step }) => entry(machine, terms, step.progress)?.shown !== true))).toEqual([]);
  },
);

test('tokens locked for a coin are in every bundle, whether the secret was shown or not', () => {
  const { machine, terms } = takeEvmBitcoinCase;
  const { states } = explore(takeEvmBitcoinCase);
  const held = states.filter(({ at }) => ['funding', 'funded', 'asking', 'refunding', 'claiming'].includes(at));
  expect(new Set(held.map(({ at }) => at)).size).toBe(5);
  const without = held.filter((progress) => {
    const { refund = null } = machine.rescue?.(terms, progress) ?? {};
    return refund?.on !== 'evm' || refund.taker?.key !== terms.evmKey;
  });
  expect(without.map(({ at }) => at)).toEqual([]);
});
