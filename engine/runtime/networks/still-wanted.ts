import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import type { Clock } from '../clock.ts';
import { NotYet } from '../not-yet.ts';
import type { Ports } from '../ports.ts';
import { judgeEscrowToFinish } from './evm/judge.ts';
import type { LocksTogether } from './evm/locks-together.ts';
import { conditionsOf, type Conditions } from './late.ts';
import { judgeHeldToFinish } from './lightning/held.ts';
import { judgeFundedToFinish, type MinedCoin } from './onchain/judge.ts';
import type { Shallow } from './shallow.ts';

interface Everywhere {
  readonly ports: Ports;
  readonly clock: Pick<Clock, 'now'>;
  readonly shallow: Shallow<MinedCoin>;
  readonly locks: LocksTogether;
  readonly swap: string;
}

/** Null where no VHTLC of ours is made for it. A condition that is not in the table does not compile. */
type Finishes = {
  readonly [C in keyof Conditions]: ((facts: Conditions[C], context: Everywhere) => Promise<Safety>) | null;
};

const finishes: Finishes = {
  held: judgeHeldToFinish,
  escrow: judgeEscrowToFinish,
  funded: judgeFundedToFinish,
  hold: null,
  heldForCoin: null,
  reveal: null,
  coin: null,
  backing: null,
  backingForCoin: null,
  deposit: null,
  offer: null,
  fundedForLock: null,
  paidOut: null,
  fundedForPayment: null,
};

/**
 * A VHTLC that the operator accepted long ago, its answer lost, is no coin yet, and that it accepted is its word alone.
 * Finished after the client's leg went back it would be the client's for nothing (facts/faults.md 328): then it stays
 * unfinished, its coins reserved, and a person is told. While nobody shows the client's leg it is asked again.
 */
export async function stillWanted(onlyIf: OnlyIf, context: Everywhere): Promise<void> {
  for (const condition of conditionsOf(onlyIf)) {
    const unpaid = await judge(condition, onlyIf, context);
    if (unpaid === null) continue;
    const sentence = `The lock, half accepted by the operator, is not finished: ${unpaid.sentence}`;
    if (unpaid.unsafe === 'wait') throw new NotYet(null, sentence, true);
    throw arkadeFailure('lock-unpaid', 'never', sentence);
  }
}

async function judge<C extends keyof Conditions>(
  condition: C,
  onlyIf: Partial<Conditions>,
  context: Everywhere,
): Promise<Safety> {
  const [facts, rule]: [Conditions[C] | undefined, Finishes[C]] = [onlyIf[condition], finishes[condition]];
  return facts === undefined || rule === null ? null : rule(facts, context);
}
