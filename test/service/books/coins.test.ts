import { describe, expect, test } from 'vitest';
import {
  judgeCoins,
  writeOffCoins,
  type CoinSight,
  type CoinEnd,
  type Whose,
} from '../../../engine/service/books/coins.ts';

interface Facts {
  readonly balance?: bigint | null;
  readonly booked?: Record<string, bigint>;
  readonly listed?: Record<string, readonly [amount: bigint, madeBy: string]>;
  readonly ends?: Record<string, CoinEnd>;
  readonly ours?: Record<string, Whose>;
}

function sightOf({ balance, booked = {}, listed = {}, ends = {}, ours = {} }: Facts): CoinSight {
  const coins = new Map(Object.entries(booked));
  return {
    balance: balance === undefined ? [...coins.values()].reduce((sum, amount) => sum + amount, 0n) : balance,
    booked: coins,
    listed: new Map(Object.entries(listed).map(([place, [amount, madeBy]]) => [place, { amount, madeBy }])),
    ends: new Map(Object.entries(ends)),
    whose: (by) => ours[by] ?? { is: 'unknown' },
  };
}

function judge(facts: Facts) {
  const { lines, difference, onItsWay } = judgeCoins(sightOf(facts));
  return { lines: lines.map(({ kind, subject, amount, keep }) => [kind, subject, amount, keep]), difference, onItsWay };
}

const spent = (by: string): CoinEnd => ({ is: 'spent', by });
const ours = (subject: string): Whose => ({ is: 'ours', subject });
const quiet = { difference: 0n, onItsWay: 0n };

describe('what moves a wallet is booked by its transaction', () => {
  test('what lies there at first opens the books, though it be nothing', () => {
    expect(judge({ balance: null, listed: { a: [5n, 'x'] } })).toEqual({
      lines: [['opening', 'wallet', 5n, 5n]],
      ...quiet,
    });
    expect(judge({ balance: null })).toEqual({ lines: [['opening', 'wallet', 0n, null]], ...quiet });
  });

  test('a coin of somebody else is the deposit of the owner', () => {
    expect(judge({ booked: { a: 5n }, listed: { a: [5n, 'x'], b: [3n, 'y'] } })).toEqual({
      lines: [['deposit', 'wallet', 3n, 3n]],
      ...quiet,
    });
  });

  test('a transaction of ours takes a coin and gives its change, for the swap that it was for', () => {
    const facts: Facts = {
      booked: { a: 9n },
      listed: { b: [4n, 't'] },
      ends: { a: spent('t') },
      ours: { t: ours('swap') },
    };
    expect(judge(facts)).toEqual({
      lines: [
        ['moved', 'swap', -9n, null],
        ['moved', 'swap', 4n, 4n],
      ],
      ...quiet,
    });
  });

  test('one that is not final yet is on its way, its change booked or not', () => {
    const booked = { a: 9n };
    const facts: Facts = { booked, ends: { a: spent('t') }, ours: { t: { is: 'waits' } } };
    expect(judge(facts)).toEqual({ lines: [], difference: 0n, onItsWay: 9n });
    expect(judge({ ...facts, listed: { b: [4n, 't'] } })).toEqual({ lines: [], difference: 0n, onItsWay: 5n });
    expect(judge({ booked, ends: { a: { is: 'waits' } } })).toEqual({ lines: [], difference: 0n, onItsWay: 9n });
  });

  test('what lies on another network now has left this one', () => {
    expect(judge({ booked: { a: 9n }, ends: { a: { is: 'left' } } })).toEqual({
      lines: [['moved', 'wallet', -9n, null]],
      ...quiet,
    });
  });
});

describe('a difference', () => {
  test('is a coin that left by a transaction which is none of ours, less its change', () => {
    const facts: Facts = { booked: { a: 9n }, ends: { a: spent('x') } };
    expect(judge(facts)).toEqual({ lines: [], difference: -9n, onItsWay: 0n });
    expect(judge({ ...facts, listed: { b: [8n, 'x'] } })).toEqual({ lines: [], difference: -1n, onItsWay: 0n });
  });

  test('is a coin that the network denies', () => {
    expect(judge({ booked: { a: 9n }, ends: { a: { is: 'denied' } } }).difference).toBe(-9n);
  });

  test('is a coin that is worth another amount than when it came', () => {
    expect(judge({ booked: { a: 9n }, listed: { a: [8n, 'x'] } }).difference).toBe(-1n);
  });

  test('is a balance that is not what its coins come to', () => {
    expect(judge({ balance: 10n, booked: { a: 9n }, listed: { a: [9n, 'x'] } }).difference).toBe(-1n);
    expect(judge({ balance: 8n, booked: { a: 9n }, listed: { a: [9n, 'x'] } }).difference).toBe(1n);
  });

  test('does not hide behind what is on its way, or comes in at the same time', () => {
    const facts: Facts = {
      booked: { a: 9n, b: 7n, c: 2n },
      listed: { d: [100n, 'y'] },
      ends: { a: spent('t'), b: { is: 'waits' }, c: spent('x') },
      ours: { t: ours('swap') },
    };
    expect(judge(facts)).toMatchObject({ difference: -2n, onItsWay: 7n });
  });

  test.each<[string, Facts]>([
    ['a coin that was taken', { booked: { a: 9n, b: 1n }, listed: { b: [1n, 'o'] }, ends: { a: spent('x') } }],
    ['one that was taken, and its change', { booked: { a: 9n }, listed: { b: [8n, 'x'] }, ends: { a: spent('x') } }],
    ['one that is denied', { booked: { a: 9n }, ends: { a: { is: 'denied' } } }],
    ['a balance that is wrong', { balance: 12n, booked: { a: 9n }, listed: { a: [9n, 'o'] } }],
  ])('that is written off is gone at the next look: %s', (_, facts) => {
    const sight = sightOf(facts);
    const lines = writeOffCoins(sight, judgeCoins(sight), 'lost');
    const booked = new Map(sight.booked);
    for (const { place, keep } of lines)
      if (keep !== null) booked.set(place, keep);
      else booked.delete(place);
    const balance = lines.reduce((sum, { amount }) => sum + amount, sight.balance ?? 0n);
    expect(judgeCoins({ ...sight, booked, balance })).toMatchObject({ lines: [], difference: 0n });
    expect(lines.every(({ kind, note }) => kind === 'write-off' && note === 'lost')).toBe(true);
  });
});
