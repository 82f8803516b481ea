import { describe, expect, test } from 'vitest';
import type { Leg } from '../../engine/legs/leg.ts';
import type { State } from '../../engine/swap/provider/direction.ts';
import { gamesLimit } from './dice.ts';
import type { Mutant } from './pair-explore.ts';
import { faultsOf } from './pair-rules.ts';

describe('a pair with a fault is found out', gamesLimit, () => {
  const without = <K extends string>(of: object, name: K): object =>
    Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));
  const at =
    (stage: string, change: Mutant): Mutant =>
    (step, from, halves) =>
      step.progress.at === stage && from.at !== stage ? change(step, from, halves) : step;

  test.each<[string, Leg, Leg, Mutant, string]>([
    [
      'whatever is dropped is dropped on both legs',
      'arkade',
      'evm',
      (step, _, { claim, fund }) =>
        step.supersedes === undefined ? step : { ...step, supersedes: [claim.leg, fund.leg] },
      'the effects of both legs are dropped',
    ],
    [
      'where a claim begins both legs are dropped',
      'evm',
      'lightning',
      at('claiming', (step, _, { claim, fund }) => ({ ...step, supersedes: [claim.leg, fund.leg] })),
      'the effects of both legs are dropped',
    ],
    [
      'a claim that begins waits for its leg',
      'arkade',
      'lightning',
      at('claiming', (step) => without(step, 'interrupts') as typeof step),
      'our claim waits for what was asked for before',
    ],
    [
      'the secret is not saved',
      'lightning',
      'evm',
      at('claiming', (step) => without(step, 'learned') as typeof step),
      'without the secret',
    ],
    [
      'our part is sent without its conditions',
      'lightning',
      'bitcoin',
      (step) => ({ ...step, effects: step.effects.map((effect) => without(effect, 'onlyIf') as typeof effect) }),
      'our part is sent whatever became of the conditions',
    ],
    [
      'a held payment is given back while a lock may be out',
      'lightning',
      'evm',
      at('stopped', (step) => ({ ...step, effects: [{ do: 'hold.cancel', hash: new Uint8Array(32) as never }] })),
      'what the client gave is given back',
    ],
    [
      'a refund of the client’s is signed while a payment may settle',
      'arkade',
      'lightning',
      at('paying', (step) => ({ ...step, progress: { ...step.progress, fenced: true } as State })),
      'the refund of the client’s is signed',
    ],
    [
      'our lock is taken back after its secret was used',
      'lightning',
      'evm',
      at('claimed', (step) => ({
        ...step,
        effects: [{ do: 'evm.send', act: { is: 'refund' } } as unknown as (typeof step.effects)[number]],
      })),
      'a refund of ours is asked for',
    ],
    [
      'a claim that ended is a swap given back',
      'bitcoin',
      'lightning',
      at('claimed', (step) => ({ ...step, progress: { ...step.progress, at: 'stopped' } })),
      'a swap whose secret is out is forgotten',
    ],
    [
      'a field that is in neither half',
      'arkade',
      'lightning',
      at('claimed', (step) => ({ ...step, progress: { ...step.progress, extra: true } as State })),
      'it is kept as something else',
    ],
  ])('%s (%s to %s)', (_, claim, fund, mutant, fault) => {
    expect(faultsOf(claim, fund, mutant).wrong.some((wrong) => wrong.includes(fault))).toBe(true);
  });
});
