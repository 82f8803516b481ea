import { afterEach, describe, expect, test, vi } from 'vitest';
import { seconds, type ChainClock, type Clocks } from '../../../engine/domain/time.ts';
import * as lock from '../../../engine/legs/safety/lock.ts';
import * as pay from '../../../engine/legs/safety/pay.ts';
import * as reveal from '../../../engine/legs/safety/reveal.ts';
import type * as outlives from '../../../engine/legs/safety/outlives.ts';
import { never, wait } from '../../../engine/legs/safety/verdict.ts';
import type * as spans from '../../../engine/legs/spans.ts';
import type { TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';
import { pairs, type Rules } from './comparison-cases.ts';
import { compared } from './comparisons.ts';

const rules: Rules = { ...lock, ...pay, ...reveal };
const furtherOn = 'what another source says counts where it is further on, and only there';
const standstill = 'a lock of ours on an EVM chain counts the standstill of its chain';
const reasons: Readonly<Record<string, readonly string[]>> = {
  'lightning-arkade': [furtherOn],
  'arkade-evm': [standstill, furtherOn],
  'evm-bitcoin': [],
  'bitcoin-arkade': [],
  'arkade-lightning': [furtherOn],
  'evm-lightning': [furtherOn],
  'VHTLC to claim': [],
  'lock to claim': [furtherOn],
  'coin to claim': [furtherOn],
};

test.each(Object.keys(pairs))('%s is judged as it was, but for what is stricter for a reason', (name) => {
  const { borders, cases, strict } = compared(name, rules);
  const { numbers, idle = [] } = pairs[name]!;
  expect([...borders].sort()).toEqual(numbers.filter((number) => !idle.includes(number)).sort());
  expect(cases).toBeGreaterThan(4_000);
  expect([...strict].sort()).toEqual(reasons[name]);
});

/** Pairs whose cases tell these rules from what is expected. */
function noticedBy(wrong: Rules): string[] {
  return Object.keys(pairs).filter((name) => {
    try {
      compared(name, wrong, ['as usual']);
      return false;
    } catch {
      return true;
    }
  });
}

const locked = ['lightning-arkade', 'arkade-evm', 'evm-bitcoin', 'bitcoin-arkade'];
const paid = ['arkade-lightning', 'evm-lightning'];
const given = [...locked, ...paid];
const shown = ['VHTLC to claim', 'lock to claim'];

describe('a number that is one too small, or too large, is noticed', () => {
  const off =
    (name: Exclude<keyof TimeoutPolicy, 'resolveBlocks' | 'bitcoinStillAfter' | 'evmStillAfter'>, by: number) =>
    (policy: TimeoutPolicy) => ({
      ...policy,
      [name]: Math.max(0, policy[name] + by),
    });
  test.each([
    ['margin', -1, [...given, ...shown, 'coin to claim']],
    ['margin', 1, [...given, 'coin to claim']],
    ['mtpLag', -1, [...given, 'VHTLC to claim', 'coin to claim']],
    ['mtpLag', 1, [...given, 'VHTLC to claim', 'coin to claim']],
    ['leastClaimTime', -1, [...locked, ...shown]],
    ['leastClaimTime', 1, locked],
    ['slowBlock', -1, paid],
    ['slowBlock', 1, paid],
    ['fastBlock', -1, ['lightning-arkade']],
    ['fastBlock', 1, ['lightning-arkade']],
    ['lndCancelBlocks', -1, ['lightning-arkade']],
    ['reactionBlocks', -1, ['lightning-arkade']],
  ] as const)('%s by %d', (name, by, pairsThatNotice) => {
    const change = off(name, by);
    const wrong = Object.fromEntries(
      Object.entries(rules).map(([key, judge]) => [
        key,
        (facts: never, clocks: never, policy: TimeoutPolicy) => judge(facts, clocks, change(policy) as never),
      ]),
    ) as unknown as Rules;
    expect(noticedBy(wrong)).toEqual(pairsThatNotice);
  });
});

describe('a rule that is left out is noticed', () => {
  afterEach(() => {
    vi.doUnmock('../../../engine/legs/spans.ts');
    vi.doUnmock('../../../engine/legs/safety/outlives.ts');
    vi.resetModules();
  });

  async function rulesNow(): Promise<Rules> {
    vi.resetModules();
    // One after the other: the first of them makes what is mocked, and the others find it.
    const locks = await import('../../../engine/legs/safety/lock.ts');
    const pays = await import('../../../engine/legs/safety/pay.ts');
    const reveals = await import('../../../engine/legs/safety/reveal.ts');
    return { ...locks, ...pays, ...reveals };
  }

  type Spans = typeof spans;
  const noLag = (policy: TimeoutPolicy): TimeoutPolicy => ({ ...policy, mtpLag: seconds(0) });
  const oneSpeed = (of: 'slowBlock' | 'fastBlock') => (policy: TimeoutPolicy) => ({
    ...policy,
    slowBlock: policy[of],
    fastBlock: policy[of],
  });
  /** Each chain as `of` makes it. */
  const eachChain = (of: (chain: ChainClock) => ChainClock) => (clocks: Clocks) =>
    Object.fromEntries(
      Object.entries(clocks).map(([name, clock]: [string, number | ChainClock]) => [
        name,
        typeof clock === 'number' ? clock : of(clock),
      ]),
    ) as unknown as Clocks;
  const nearer = eachChain(({ ahead: _, ...chain }) => chain);
  const further = eachChain((chain) => ({ ...chain, ...chain.ahead }));

  test.each<[string, (real: Spans) => Partial<Spans>, readonly string[]]>([
    [
      'what we claim may end sooner by the lag',
      ({ sureFor }) => ({ sureFor: (leg, clocks, policy) => sureFor(leg, clocks, noLag(policy)) }),
      ['arkade-evm', 'evm-bitcoin', ...paid],
    ],
    [
      'what we gave may end later by the lag',
      ({ openFor }) => ({ openFor: (leg, clocks, policy) => openFor(leg, clocks, noLag(policy)) }),
      ['lightning-arkade', 'arkade-evm', 'evm-bitcoin'],
    ],
    [
      'what we claim ends by the reading that is further on',
      ({ sureFor }) => ({ sureFor: (leg, clocks, policy) => sureFor(leg, nearer(clocks), policy) }),
      ['lightning-arkade', 'arkade-evm', 'evm-bitcoin', ...paid],
    ],
    [
      'what we gave ends by the reading that is not',
      ({ openFor }) => ({ openFor: (leg, clocks, policy) => openFor(leg, further(clocks), policy) }),
      ['lightning-arkade', 'arkade-evm', 'evm-bitcoin', ...paid],
    ],
    [
      'a claim may be made later than it seems by the lag',
      ({ claimTime }) => ({ claimTime: (leg, clocks, policy) => claimTime(leg, clocks, noLag(policy)) }),
      ['lightning-arkade', 'evm-bitcoin', 'bitcoin-arkade', 'VHTLC to claim', 'coin to claim'],
    ],
    [
      'a claim is made by the reading that is further on',
      ({ claimTime }) => ({ claimTime: (leg, clocks, policy) => claimTime(leg, nearer(clocks), policy) }),
      [...locked, ...shown, 'coin to claim'],
    ],
    [
      'blocks are fast where we claim',
      ({ sureFor }) => ({ sureFor: (leg, clocks, policy) => sureFor(leg, clocks, oneSpeed('slowBlock')(policy)) }),
      ['lightning-arkade'],
    ],
    [
      'blocks are slow where others claim',
      ({ openFor }) => ({ openFor: (leg, clocks, policy) => openFor(leg, clocks, oneSpeed('fastBlock')(policy)) }),
      paid,
    ],
  ])('%s', async (_, wrong, pairsThatNotice) => {
    vi.doMock('../../../engine/legs/spans.ts', async (real) => {
      const exported = await real<Spans>();
      return { ...exported, ...wrong(exported) };
    });
    expect(noticedBy(await rulesNow())).toEqual(Object.keys(pairs).filter((name) => pairsThatNotice.includes(name)));
  });

  type Outlives = typeof outlives.outlives;
  test.each<[string, (real: Outlives) => Outlives, readonly string[]]>([
    ['that the legs are compared at all', () => () => null, given],
    [
      'that one clock compares them as they are',
      (real) => (pair, clocks, policy) => {
        const { sure, given } = pair;
        const late = sure.clock === given.clock ? policy.mtpLag : 0;
        return real({ sure, given: { ...given, claimableUntil: given.claimableUntil + late } }, clocks, policy);
      },
      ['bitcoin-arkade'],
    ],
    [
      'that time may heal what two chains judge',
      (real) =>
        (...ask) => {
          const verdict = real(...ask);
          return verdict === null ? null : never(verdict.sentence);
        },
      ['arkade-evm', 'evm-bitcoin'],
    ],
    [
      'that it heals nothing else',
      (real) =>
        (...ask) => {
          const verdict = real(...ask);
          return verdict === null ? null : wait(verdict.sentence);
        },
      ['lightning-arkade', 'bitcoin-arkade', ...paid],
    ],
  ])('%s', async (_, wrong, pairsThatNotice) => {
    vi.doMock('../../../engine/legs/safety/outlives.ts', async (real) => {
      const exported = await real<typeof outlives>();
      return { ...exported, outlives: wrong(exported.outlives) };
    });
    expect(noticedBy(await rulesNow())).toEqual(Object.keys(pairs).filter((name) => pairsThatNotice.includes(name)));
  });
});
