import { describe, expect, test } from 'vitest';
import { arkadeEvmCase } from '../swap/arkade-evm-cases.ts';
import { bitcoinArkadeCase } from '../swap/bitcoin-arkade-cases.ts';
import { arkadeLightningCase, lightningArkadeCase, type Case } from '../swap/cases.ts';
import { evmBitcoinCase } from '../swap/evm-bitcoin-cases.ts';
import { evmLightningCase } from '../swap/evm-cases.ts';
import { explore } from '../swap/explore.ts';
import { ownTransaction } from '../taker/arkade-evm-cases.ts';
import { everyCase } from '../taker/every-case.ts';
import { takerDirections, takerMachine } from '../../engine/domain/chain.ts';
import { takenDirections } from '../../engine/taker/directions.ts';
import type { TurnView } from '../../engine/taker/facts.ts';
import { clientBefore } from './clients.ts';
import * as former from './machines.js';
import { agreed, formerOf, judged } from './oracle.ts';

type AnyCase = Case<unknown, { readonly at: string }>;

const all = [
  arkadeEvmCase,
  arkadeLightningCase,
  bitcoinArkadeCase,
  evmBitcoinCase,
  evmLightningCase,
  lightningArkadeCase,
  // A direction that came later has no former form.
  ...Object.values(everyCase).filter(({ machine }) => formerOf(machine.name) !== null),
  ownTransaction,
] as unknown as readonly AnyCase[];

describe('every machine does in every state what it did before its halves were written once', () => {
  test.each(all.map((one) => [one.machine.name, one] as const))('%s', (name, one) => {
    const machine = judged(one.machine);
    const { states } = explore({ ...one, machine });
    for (const p of states) {
      machine.watches(one.terms, p);
      machine.deadline(one.terms, p);
      machine.status(p);
      machine.open(one.terms, p);
      machine.reserves(p);
      machine.untold(p);
      machine.nextAction(one.terms, p);
      machine.rescue?.(one.terms, p);
      for (const { now } of one.events.slice(0, 3)) machine.listing?.(one.terms, p, now);
    }
    factsAlike(name, one, states);
    expect(formerOf(name)).not.toBeNull();
    expect(states.length).toBeGreaterThan(5);
  });
});

/** What the owner of a client's swap is shown of it. */
function factsAlike(name: string, { terms, events }: AnyCase, states: readonly { readonly at: string }[]): void {
  const direction = takerDirections.find((one) => takerMachine(one) === name);
  if (direction === undefined) return;
  const now = takenDirections[direction];
  const then = former.takenDirections[direction]!;
  const clocks = new Map(events.map((event) => [JSON.stringify(event.now), event.now]));
  for (const p of states)
    for (const time of [...clocks.values()].slice(0, 2)) {
      const [a, b] = [now.facts(terms as never, p as never, time), then.facts(terms, clientBefore(name, p), time)];
      for (const key of Object.keys(a) as (keyof typeof a)[]) agreed(name, `facts ${key}`, a[key], b[key], { p });
      const [c, d] = [now.steps(p as never, terms as never), then.steps(clientBefore(name, p), terms)];
      // A step may be reached by more states than before.
      const lines = ({ steps }: TurnView) => steps.map(({ step, state }) => `${step} ${state}`);
      agreed(name, 'steps', lines(c), lines(d), { p });
      for (const key of ['phase', 'outcome', 'turn'] as const) agreed(name, `steps ${key}`, c[key], d[key], { p });
    }
}
