import { greater, lesser, sats, type Sats } from '../../../domain/money.ts';
import type { Unix } from '../../../domain/time.ts';
import type { GasFees } from '../../../legs/evm/port.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import {
  gasBudget,
  gasPriceCeiling,
  gasStage,
  ownGasBudget,
  type GasCeilings,
  type GasStage,
} from '../../../quote/ceilings.ts';
import { bitcoinCoin, weiOfSatsDown } from '../../../quote/coin-price.ts';
import type { EvmRules } from './rules.ts';

/** What a transaction saves, by when, and since when that was so. */
export interface Saving {
  readonly purpose: string;
  readonly value: Sats;
  readonly deadline: Unix | null;
  readonly from: Unix;
  /** What the swap was charged that it is given for; null where nobody was. */
  readonly charged: Sats | null;
  /** It was signed before, and may be out. */
  readonly isSigned: boolean;
}

/** What a lock or funding may cost of what its swap was charged: gas may have doubled since (facts/faults.md 263). */
const timesCharged = 2n;

/** Ours already: without it all of it is lost, so it is tried until the chain shows that it is over. */
export const own: ReadonlySet<string> = new Set<EvmPurpose>(['claim', 'refund', 'taker-claim', 'taker-refund']);

export function stageOf({ from, deadline }: Saving, now: Unix): GasStage {
  return gasStage(from, deadline, now);
}

/** Most wei that its gas may cost now; null while nobody knows what the coin costs, and has to. */
export function budgetOf(saving: Saving, now: Unix, { gas, price }: EvmRules): bigint | null {
  // What its owner was shown, in wei: what the coin costs needs nobody to know.
  if (saving.purpose === 'deploy') return weiOfSatsDown(saving.value, bitcoinCoin);
  if (price === null) return null;
  // The owner's withdrawal names what its gas may cost, and has no hurry.
  if (saving.purpose === 'pay') return weiOfSatsDown(saving.value, price);
  return weiOfSatsDown(mostOf(saving, now, gas), price);
}

function mostOf(saving: Saving, now: Unix, gas: GasCeilings): Sats {
  const { purpose, value, deadline, from, charged, isSigned } = saving;
  if (own.has(purpose)) return ownGasBudget(value, { from, deadline, now }, gas);
  const stage = stageOf(saving, now);
  const most = gasBudget(value, stage, gas);
  // A lock that may be out has to be mined, and to come back, before what it was given for does.
  const isDue = purpose === 'lock' && isSigned && (stage === 'last' || deadline === null);
  return charged === null || isDue ? most : lesser(most, sats(timesCharged * charged));
}

/** What the dearest of some may cost; null where nobody knows what the coin costs. */
export function mostBudget(all: readonly Saving[], now: Unix, rules: EvmRules): bigint | null {
  let most: bigint | null = null;
  for (const saving of all) {
    const budget = budgetOf(saving, now, rules);
    if (budget === null) return null;
    if (most === null || budget > most) most = budget;
  }
  return most;
}

/** Most wei for each unit of gas. */
export function ceilingOf(budget: bigint | null, gas: bigint, rules: EvmRules): bigint | null {
  return gasPriceCeiling(budget, gas, rules.gas);
}

/** Wei for each unit of gas, at most. */
export function priceOf(fees: GasFees): bigint {
  return fees.is === 'legacy' ? fees.price : fees.most;
}

/** The same, and no more than the ceiling. */
export function cappedAt(fees: GasFees, ceiling: bigint | null): GasFees {
  if (ceiling === null) return fees;
  if (fees.is === 'legacy') return { is: 'legacy', price: lesser(fees.price, ceiling) };
  const most = lesser(fees.most, ceiling);
  return { is: 'dynamic', most, tip: lesser(fees.tip, most) };
}

/** What a node wants for a replacement: an eighth more of both, and one wei for what is rounded (facts/evm.md 11). */
export function raised(fees: GasFees): GasFees {
  const more = (wei: bigint): bigint => wei + wei / 8n + 1n;
  return fees.is === 'legacy'
    ? { is: 'legacy', price: more(fees.price) }
    : { is: 'dynamic', most: more(fees.most), tip: more(fees.tip) };
}

/**
 * For what is late and not mined: who says what gas costs may be wrong by any factor, and by eighths alone it would
 * take days (facts/faults.md 167).
 */
export function doubled(fees: GasFees): GasFees {
  return fees.is === 'legacy'
    ? { is: 'legacy', price: 2n * fees.price }
    : { is: 'dynamic', most: 2n * fees.most, tip: 2n * fees.tip };
}

/** In each part the larger of two; the form is that of the second. */
export function dearer(a: GasFees, b: GasFees): GasFees {
  if (a.is === 'legacy' || b.is === 'legacy') return { is: 'legacy', price: greater(priceOf(a), priceOf(b)) };
  return { is: 'dynamic', most: greater(a.most, b.most), tip: greater(a.tip, b.tip) };
}
