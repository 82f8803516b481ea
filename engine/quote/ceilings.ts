import { bpsDown, greater, sats, type Sats } from '../domain/money.ts';
import { hour, seconds, type Seconds, type Unix } from '../domain/time.ts';
import type { WithdrawalCeilings } from '../domain/withdrawal-cost.ts';

/** What an act that nobody watches may cost, as the owner sets it: basis points of the value, and sats. */
export interface Ceilings extends ClaimCeilings, WithdrawalCeilings {
  readonly renewalBps: number;
  readonly renewalMinSats: number;
  readonly renewalMonthBps: number;
  readonly unpaidGasPerDaySats: number;
  readonly consolidationPerDaySats: number;
}

/** Of these, what the claims and refunds of swaps go by. */
export interface ClaimCeilings {
  readonly claimBps: number;
}

/** How far a coin is in the time that is left for its renewal. */
export type RenewalStage = 'early' | 'late' | 'last';

/** A coin so near to its end that losing it is what renewal is weighed against. */
const lastHours = seconds(12 * hour);
/** What a late coin may cost more than an early one. */
const lateTimes = 10;
/** Of the whole, what is left for whoever loses the coin otherwise. */
const half = 5_000;

/**
 * `window`: the time before its expiry in which a coin is renewed. Past its expiry nothing is lost by waiting for the
 * owner that is not lost already: such a coin counts as late, not as last.
 */
export function renewalStage(expiresAt: Unix, window: Seconds, now: Unix): RenewalStage {
  const left = expiresAt - now;
  if (left <= 0) return 'late';
  // With coins that live for hours the last of them must not be all of them.
  if (left <= Math.min(lastHours, window / 4)) return 'last';
  return left <= window / 2 ? 'late' : 'early';
}

/** Most that the operator may take for one coin (DECISIONS.md, "What nobody watches has a ceiling"). */
export function renewalCeiling(amount: Sats, stage: RenewalStage, ceilings: Ceilings): Sats {
  const most = greater(
    sats(ceilings.renewalMinSats),
    bpsDown(amount, Math.min(10_000, ceilings.renewalBps * (stage === 'early' ? 1 : lateTimes))),
  );
  return stage === 'last' ? greater(most, bpsDown(amount, half)) : most;
}

/** Sats per virtual byte beyond which no estimate is believed (facts/faults.md 31). */
export const highestRate = 500;
/** A fee rate above this many times the second estimate is not believed. */
export const timesSecondEstimate = 3;

/** Of the time between the moment from which a coin could be claimed and its deadline, the last quarter. */
export function lastQuarter(from: Unix, deadline: Unix): Unix {
  return (deadline - Math.floor(Math.max(0, deadline - from) / 4)) as Unix;
}

/** Most that claiming or taking back a coin of a swap may cost: all of it once it would be lost otherwise. */
export function claimCeiling(amount: Sats, ceilings: ClaimCeilings, lost: boolean): Sats {
  return lost ? amount : bpsDown(amount, ceilings.claimBps);
}

/**
 * What each quarter of the time before a deadline may cost of what the owner allows; the last one may cost all that is
 * saved.
 */
const growingShares = [0.25, 0.5, 1] as const;

/**
 * Most that claiming a coin may cost by the fees of the moment at which its secret is shown: an eighth of it unless the
 * owner says otherwise, for they may rise before the claim is mined, and nobody may pay more than it holds.
 */
export function revealCeiling(amount: Sats, { claimBps }: ClaimCeilings): Sats {
  return bpsDown(amount, Math.floor(claimBps * growingShares[0]));
}

/**
 * Most that taking a coin may cost now, by how much of the time until its deadline is over, and when it may be more. It
 * grows, so that a source that asks too much takes little as long as there is time to wait (DECISIONS.md, "What nobody
 * watches has a ceiling").
 */
export function spendBudget(
  amount: Sats,
  { claimBps }: ClaimCeilings,
  { from, deadline, now }: { from: Unix; deadline: Unix; now: Unix },
): { readonly most: Sats; readonly until: Unix | null } {
  const quarter = Math.max(0, deadline - from) / 4;
  for (const [i, share] of growingShares.entries()) {
    const until = Math.ceil(from + quarter * (i + 1)) as Unix;
    if (now < until) return { most: bpsDown(amount, Math.floor(claimBps * share)), until };
  }
  return { most: amount, until: null };
}

/**
 * Sats that the change of every funding of an HTLC holds at least: it pays for the child that pushes the funding when
 * it waits.
 */
export const feeReserve = sats(25_000);

/** What the owner lets gas cost on a chain. */
export interface GasCeilings {
  /** Basis points of what is saved. */
  readonly maxShareBps: number;
  /** For each unit of gas; 0 for no such ceiling. */
  readonly maxFeeGwei: number;
}

/** How near a transaction is to the moment by which it must be mined. */
export type GasStage = 'early' | 'last';

/**
 * The whole ceiling is for the last quarter of the time between `from` and `deadline`; one that has no deadline has no
 * hurry.
 */
export function gasStage(from: Unix, deadline: Unix | null, now: Unix): GasStage {
  return deadline !== null && now >= lastQuarter(from, deadline) ? 'last' : 'early';
}

/** Most that gas may cost for what saves `value` of others: half of the ceiling early, all in the last quarter. */
export function gasBudget(value: Sats, stage: GasStage, { maxShareBps }: GasCeilings): Sats {
  return bpsDown(value, stage === 'last' ? maxShareBps : Math.floor(maxShareBps / 2));
}

/**
 * The same for what is ours already, which is lost without it: it grows as on the Bitcoin chain, and is all of the
 * value in the last quarter. Without a deadline nothing grows, and the whole ceiling counts at once.
 */
export function ownGasBudget(
  value: Sats,
  { from, deadline, now }: { readonly from: Unix; readonly deadline: Unix | null; readonly now: Unix },
  { maxShareBps }: GasCeilings,
): Sats {
  if (deadline === null) return bpsDown(value, maxShareBps);
  return spendBudget(value, { claimBps: maxShareBps }, { from, deadline, now }).most;
}

/**
 * Most wei for each of `gas` units; null where nothing bounds it. `budget` is null where nobody knows what the coin
 * costs.
 */
export function gasPriceCeiling(budget: bigint | null, gas: bigint, { maxFeeGwei }: GasCeilings): bigint | null {
  const byValue = budget === null ? null : budget / gas;
  const byPrice = maxFeeGwei === 0 ? null : BigInt(Math.round(maxFeeGwei * 1e9));
  if (byValue === null || byPrice === null) return byValue ?? byPrice;
  return byValue < byPrice ? byValue : byPrice;
}
