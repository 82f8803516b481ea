import { describe, expect, test } from 'vitest';
import type { Leg } from '../../engine/legs/leg.ts';
import type { State } from '../../engine/taker/client/pair.ts';
import { gamesLimit } from '../swap/dice.ts';
import type { Mutant } from './every-pair-explore.ts';
import { faultsOf } from './every-pair-rules.ts';

describe('a client’s pair with a fault is found out', gamesLimit, () => {
  const without = <K extends string>(of: object, name: K): object =>
    Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));
  type Effects = Parameters<Mutant>[0]['effects'];
  const refund = [{ do: 'vhtlc.refund' }] as unknown as Effects;
  const at =
    (stage: string, change: Mutant): Mutant =>
    (step, from, halves) =>
      step.progress.at === stage && from.at !== stage ? change(step, from, halves) : step;

  test.each<[string, Leg, Leg, Mutant, string]>([
    [
      'whatever is dropped is dropped on both legs',
      'evm',
      'arkade',
      (step, _, { claim, fund }) =>
        step.supersedes === undefined ? step : { ...step, supersedes: [claim.leg, fund.leg] },
      'the effects of both legs are dropped',
    ],
    [
      'a claim that begins drops what was asked for on its own leg alone',
      'evm',
      'bitcoin',
      at('claiming', (step, _, { claim }) => ({ ...step, supersedes: [claim.leg] })),
      'what was asked for goes on beside the claim',
    ],
    [
      'a refund is begun with the claim',
      'arkade',
      'evm',
      at('claiming', (step) => ({ ...step, effects: [...step.effects, ...refund] })),
      'a refund is begun',
    ],
    [
      'a refund is begun while it is claimed',
      'arkade',
      'evm',
      (step, from) => (from.at === 'claiming' && step.progress.at === 'claiming' ? { ...step, effects: refund } : step),
      'a refund is begun',
    ],
    [
      'the secret is shown without a condition',
      'lightning',
      'arkade',
      (step) => ({ ...step, effects: step.effects.map((effect) => without(effect, 'onlyIf')) as unknown as Effects }),
      'the secret is shown first without a condition',
    ],
    [
      'the same through the provider',
      'lightning',
      'evm',
      (step) => ({ ...step, effects: step.effects.map((effect) => without(effect, 'onlyIf')) as unknown as Effects }),
      'the secret is shown first without a condition',
    ],
    [
      'a claim is asked for before its stage',
      'lightning',
      'bitcoin',
      at('claiming', (step, from) => ({ ...step, progress: from })),
      'the secret is shown elsewhere',
    ],
    [
      'what was bought is taken back as well',
      'arkade',
      'evm',
      at('claimed', (step) => ({
        ...step,
        progress: { ...step.progress, at: 'funded', notBefore: null, declined: null } as object as State,
      })),
      'both legs are taken',
    ],
    [
      'a field that is in neither half',
      'lightning',
      'bitcoin',
      at('claimed', (step) => ({ ...step, progress: { ...step.progress, extra: true } as object as State })),
      'it is kept as something else',
    ],
  ])('%s (%s to %s)', (_, fund, claim, mutant, fault) => {
    expect(faultsOf(fund, claim, mutant).wrong.some((wrong) => wrong.includes(fault))).toBe(true);
  });
});
