import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import type { ClaimCeilings } from '../../quote/ceilings.ts';
import type { Clock } from '../clock.ts';
import { NotYet } from '../not-yet.ts';
import type { Ports } from '../ports.ts';
import { judgeBacking, judgeBackingForCoin, judgeCoin, judgeReveal } from './arkade/judge.ts';
import { judgeDeposit, judgeEscrow, judgeOffer } from './evm/judge.ts';
import { conditionsOf, tooLate, type Conditions } from './late.ts';
import type { RulesOf } from './evm/rules.ts';
import type { ShownClaims } from './evm/shown-claims.ts';
import { judgeHeld, judgeHeldForCoin, judgeHold } from './lightning/held.ts';
import { judgeFunded, judgeFundedForLock, judgeFundedForPayment, judgePaidOut } from './onchain/judge.ts';

/** A condition may be of any network. */
interface Everywhere {
  readonly ports: Ports;
  readonly clock: Pick<Clock, 'now'>;
  readonly shownClaims: ShownClaims;
  /** What the owner lets a claim cost on the Bitcoin chain, and on EVM chains. */
  readonly ceilings: () => ClaimCeilings;
  readonly evm: RulesOf;
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

/** Judges the conditions of an act now. Null when it may be started, else the reason why it never may. */
export async function forbidden(onlyIf: OnlyIf, maxTimeoutHeight: number, context: Everywhere): Promise<string | null> {
  const late = tooLate(onlyIf, context.clock.now());
  if (late !== null) return late;
  for (const condition of conditionsOf(onlyIf)) {
    const reason = judged(await judge(condition, onlyIf, context, maxTimeoutHeight));
    if (reason !== null) return reason;
  }
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
