import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import { NotYet } from '../not-yet.ts';
import { judgeBacking, judgeBackingForCoin, judgeCoin, judgeReveal } from './arkade/judge.ts';
import { tooDear, type Priced } from './claim-costs.ts';
import { judgeDeposit, judgeEscrow, judgeOffer } from './evm/judge.ts';
import type { LocksTogether } from './evm/locks-together.ts';
import { conditionsOf, tooLate, type Conditions } from './late.ts';
import { judgeHeld, judgeHeldForCoin, judgeHold } from './lightning/held.ts';
import {
  judgeFunded,
  judgeFundedForLock,
  judgeFundedForPayment,
  judgePaidOut,
  type MinedCoin,
} from './onchain/judge.ts';
import type { Shallow } from './shallow.ts';

/** A condition may be of any network. */
interface Everywhere extends Priced {
  readonly shallow: Shallow<MinedCoin>;
  readonly locks: LocksTogether;
}

/** Who judges a condition: its own network. One that nobody judges does not compile. */
type Judges = {
  readonly [C in keyof Conditions]: (
    facts: Conditions[C],
    context: Everywhere,
    maxTimeoutHeight: number,
  ) => Promise<Safety>;
};

const judges: Judges = {
  held: judgeHeld,
  hold: judgeHold,
  heldForCoin: judgeHeldForCoin,
  reveal: judgeReveal,
  coin: judgeCoin,
  backing: judgeBacking,
  backingForCoin: judgeBackingForCoin,
  deposit: judgeDeposit,
  escrow: judgeEscrow,
  offer: judgeOffer,
  funded: judgeFunded,
  fundedForLock: judgeFundedForLock,
  paidOut: judgePaidOut,
  fundedForPayment: judgeFundedForPayment,
};

/**
 * Judges the conditions of an act now. Null when it may be started, else the reason why it never may. `isBegun`: an
 * earlier try may have given what is given by it, which no price holds back any more (facts/faults.md 184).
 */
export async function forbidden(
  onlyIf: OnlyIf,
  maxTimeoutHeight: number,
  context: Everywhere,
  isBegun: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<string | null> {
  const late = tooLate(onlyIf, context.clock.now());
  if (late !== null) return late;
  // Before what is looked at: nothing is waited for between the last look and the act.
  const dear = await tooDear(onlyIf, context);
  for (const condition of conditionsOf(onlyIf)) {
    const reason = judged(await judge(condition, onlyIf, context, maxTimeoutHeight));
    if (reason !== null) return reason;
  }
  if (dear !== null && !(await isBegun())) throw new NotYet(null, dear);
  // What was looked at may have taken its time.
  return tooLate(onlyIf, context.clock.now());
}

async function judge<C extends keyof Conditions>(
  condition: C,
  onlyIf: Partial<Conditions>,
  context: Everywhere,
  maxTimeoutHeight: number,
): Promise<Safety> {
  const facts: Conditions[C] | undefined = onlyIf[condition];
  return facts === undefined ? null : judges[condition](facts, context, maxTimeoutHeight);
}

function judged(safety: Safety): string | null {
  if (safety === null) return null;
  if (safety.unsafe === 'wait') throw new NotYet(null, safety.sentence);
  return safety.sentence;
}
