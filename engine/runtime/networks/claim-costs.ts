import { PortFailure } from '../../domain/errors.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { ClaimCeilings } from '../../quote/ceilings.ts';
import type { Clock } from '../clock.ts';
import type { Ports } from '../ports.ts';
import type { GasToCome } from './evm/gas-to-come.ts';
import type { RulesOf } from './evm/rules.ts';
import { lockTooDear } from './evm/own-claim.ts';
import { conditionsOf, type Conditions } from './late.ts';
import { partTooDear } from './lightning/part-cost.ts';
import { sourceTooDear } from './onchain/claim-cost.ts';

export interface Priced {
  readonly ports: Ports;
  readonly clock: Pick<Clock, 'now'>;
  /** What the owner lets a claim cost on the Bitcoin chain, and on EVM chains. */
  readonly ceilings: () => ClaimCeilings;
  readonly evm: RulesOf;
  readonly gasToCome: GasToCome;
  /** The swap that the act is of. */
  readonly swap: string;
}

/**
 * For each condition whether our claim of what the client gave costs more than it may now. Null where no chain is paid
 * for it, and where it shows a secret, which the last look weighs itself.
 */
type Costs = {
  readonly [C in keyof Conditions]: ((facts: Conditions[C], context: Priced) => Promise<string | null>) | null;
};

const costs: Costs = {
  held: partTooDear,
  hold: partTooDear,
  heldForCoin: partTooDear,
  coin: null,
  backing: null,
  backingForCoin: null,
  reveal: null,
  deposit: lockTooDear,
  escrow: lockTooDear,
  offer: null,
  funded: sourceTooDear,
  fundedForLock: sourceTooDear,
  paidOut: null,
  fundedForPayment: sourceTooDear,
};

/**
 * Why nothing is given yet for what the client gave; null where its claim may cost what it would cost now. A price that
 * nobody tells is waited for too, and refuses nothing by itself (facts/faults.md 184).
 */
export async function tooDear(onlyIf: OnlyIf, context: Priced): Promise<string | null> {
  try {
    for (const condition of conditionsOf(onlyIf)) {
      const reason = await costOf(condition, onlyIf, context);
      if (reason !== null) return reason;
    }
    return null;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return `what a claim of it costs now is not known: ${cause.message}`;
  }
}

async function costOf<C extends keyof Conditions>(
  condition: C,
  onlyIf: Partial<Conditions>,
  context: Priced,
): Promise<string | null> {
  const facts: Conditions[C] | undefined = onlyIf[condition];
  return facts === undefined ? null : ((await costs[condition]?.(facts, context)) ?? null);
}
