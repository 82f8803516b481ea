import { furthest, isHeight, unix, type ClockName, type Clocks } from '../../domain/time.ts';
import { arkadeTimedBy } from '../../legs/arkade/conditions.ts';
import { evmTimedBy } from '../../legs/evm/conditions.ts';
import { lightningTimedBy } from '../../legs/lightning/conditions.ts';
import { onchainTimedBy } from '../../legs/onchain/conditions.ts';
import { timelockPassed } from '../../legs/evm/timelocks.ts';
import type { OnlyIf, OwnRefund } from '../../legs/only-if.ts';
import { locktimePassed } from '../../legs/timelocks.ts';

export type Conditions = Required<Omit<OnlyIf, 'notAfter' | 'ownRefund'>>;

/** A line for each network: a condition whose clock none of them names does not compile. */
const timedBy: { readonly [C in keyof Conditions]: (facts: Conditions[C]) => ClockName } = {
  ...lightningTimedBy,
  ...arkadeTimedBy,
  ...evmTimedBy,
  ...onchainTimedBy,
};

/** The conditions that an act depends on. */
export function conditionsOf(onlyIf: OnlyIf): (keyof Conditions)[] {
  return Object.keys(timedBy)
    .filter(isCondition)
    .filter((condition) => onlyIf[condition] !== undefined);
}

function isCondition(name: string): name is keyof Conditions {
  return Object.hasOwn(timedBy, name);
}

/**
 * Whether an act may not be started any more: by the chains that its conditions are timed by, and where there are none
 * by the wall alone. A chain that is unread makes nothing late.
 */
export function deadlinePassed(onlyIf: OnlyIf, clocks: Clocks): boolean {
  const { notAfter } = onlyIf;
  if (isHeight(notAfter)) return (furthest(clocks.bitcoin).height ?? 0) > notAfter;
  const chains = conditionsOf(onlyIf)
    .map((condition) => clockOf(condition, onlyIf))
    .filter((clock) => clock !== 'wall');
  if (chains.length === 0) return clocks.wall > notAfter;
  return chains.some((chain) => {
    const clock = clocks[chain];
    return clock !== undefined && (furthest(clock).mtp ?? 0) > notAfter;
  });
}

/**
 * What can be told by the clock alone, before any network is asked. Null, or the reason why the act may never be
 * started.
 */
export function tooLate(onlyIf: OnlyIf, clocks: Clocks): string | null {
  if (deadlinePassed(onlyIf, clocks)) return 'Too little time was left.';
  const { ownRefund } = onlyIf;
  return ownRefund !== undefined && hasOpened(ownRefund, clocks) ? 'What was given for it comes back by now.' : null;
}

function hasOpened({ clock, from }: OwnRefund, clocks: Clocks): boolean {
  return clock === 'bitcoin'
    ? locktimePassed(from, furthest(clocks.bitcoin))
    : timelockPassed(unix(from), clocks, clock);
}

function clockOf<C extends keyof Conditions>(condition: C, onlyIf: Partial<Conditions>): ClockName {
  const facts: Conditions[C] | undefined = onlyIf[condition];
  return facts === undefined ? 'wall' : timedBy[condition](facts);
}
