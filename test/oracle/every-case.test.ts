import { describe, expect, test } from 'vitest';
import { arkadeEvmCase } from '../swap/arkade-evm-cases.ts';
import { bitcoinArkadeCase } from '../swap/bitcoin-arkade-cases.ts';
import { arkadeLightningCase, lightningArkadeCase, type Case } from '../swap/cases.ts';
import { evmBitcoinCase } from '../swap/evm-bitcoin-cases.ts';
import { evmLightningCase } from '../swap/evm-cases.ts';
import { explore } from '../swap/explore.ts';
import { ownTransaction } from '../taker/arkade-evm-cases.ts';
import { everyCase } from '../taker/every-case.ts';
import { formerOf, judged } from './oracle.ts';

type AnyCase = Case<unknown, { readonly at: string }>;

const all = [
  arkadeEvmCase,
  arkadeLightningCase,
  bitcoinArkadeCase,
  evmBitcoinCase,
  evmLightningCase,
  lightningArkadeCase,
  ...Object.values(everyCase),
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
    expect(formerOf(name)).not.toBeNull();
    expect(states.length).toBeGreaterThan(5);
  });
});
