import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import { NotYet } from '../not-yet.ts';
import { judgeBacking, judgeCoin, judgeReveal } from './arkade/judge.ts';
import type { EffectContext } from './context.ts';
import { judgeDeposit, judgeEscrow, judgeOffer } from './evm/judge.ts';
import { conditionsOf, deadlinePassed, type Conditions } from './late.ts';
import { judgeHeld } from './lightning/held.ts';
import { judgeFunded, judgePaidOut } from './onchain/judge.ts';

/** Who judges a condition: its own network. One that nobody judges does not compile. */
type Judges = {
  readonly [C in keyof Conditions]: (
    facts: Conditions[C],
    context: EffectContext,
    maxTimeoutHeight: number,
  ) => Promise<Safety>;
};

const judges: Judges = {
  held: judgeHeld,
  reveal: judgeReveal,
  coin: judgeCoin,
  backing: judgeBacking,
  deposit: judgeDeposit,
  escrow: judgeEscrow,
  offer: judgeOffer,
  funded: judgeFunded,
  paidOut: judgePaidOut,
};

/**
 * What can be told by the clock alone, before any network is asked. Null, or the reason why the act may never be
 * started.
 */
export function tooLate(onlyIf: OnlyIf, { clock }: EffectContext): string | null {
  return deadlinePassed(onlyIf, clock.now()) ? 'Too little time was left.' : null;
}

/** Judges the conditions of an act now. Null when it may be started, else the reason why it never may. */
export async function forbidden(
  onlyIf: OnlyIf,
  maxTimeoutHeight: number,
  context: EffectContext,
): Promise<string | null> {
  const late = tooLate(onlyIf, context);
  if (late !== null) return late;
  for (const condition of conditionsOf(onlyIf)) {
    const reason = judged(await judge(condition, onlyIf, context, maxTimeoutHeight));
    if (reason !== null) return reason;
  }
  return null;
}

async function judge<C extends keyof Conditions>(
  condition: C,
  onlyIf: Partial<Conditions>,
  context: EffectContext,
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
