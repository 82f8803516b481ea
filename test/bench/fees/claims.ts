import { noSats, plus, sats, type Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { bytesOf, leastWorth } from '../../../engine/quote/gas.ts';
import { feeUp } from '../../../engine/legs/onchain/size.ts';
import { chanceFrom } from '../../crash/support/chance.ts';
import { begins } from './chain.ts';
import { claimSize, fundingSize, htlcOutput, walletOutput } from './transactions.ts';
import { claimHours, type FeeTrace } from './trace.ts';

/**
 * A coin that can be claimed from `start` on, by the wall, until a block whose chain's median time past is above
 * `deadline`.
 */
export interface ClaimPlan {
  readonly id: string;
  readonly amount: Sats;
  /** What holds it. */
  readonly script: Uint8Array;
  /** Seconds since the trace began. */
  readonly start: number;
  /** Unix seconds of median time past. */
  readonly deadline: number;
  /** Most blocks of the trace: the first and the last one that can hold the claim. */
  readonly first: number;
  readonly last: number;
}

export interface Claim extends ClaimPlan {
  readonly coin: Outpoint;
}

const [least, most] = [10_000, 10_000_000];
const hour = 3_600;

/**
 * Hours that are left for a claim when the secret is learned: clients claim soon, some late, and some nodes come back
 * late.
 */
function hoursLeft(next: () => number): number {
  const kind = next();
  if (kind < 0.7) return 22.5 + 1.5 * next();
  if (kind < 0.9) return 12 + 10.5 * next();
  return 2 + 10 * next();
}

/** Block `at` is mined on the chain whose tip is the one before it. */
function mtpBefore({ blocks }: FeeTrace, at: number): number {
  const times = blocks
    .slice(Math.max(0, at - 11), at)
    .map(({ time }) => time)
    .sort((a, b) => a - b);
  return begins + (times[Math.floor(times.length / 2)] ?? 0);
}

export function claimsOf(
  trace: FeeTrace,
  count: number,
  seed: number,
  estimate: (tip: number, target: number) => number,
): { plans: ClaimPlan[]; refused: number } {
  const { next, between } = chanceFrom(seed);
  const plans: ClaimPlan[] = [];
  let refused = 0;
  const tipAt = (time: number): number => trace.blocks.findLastIndex((block) => block.time <= time);
  while (plans.length < count) {
    const left = hoursLeft(next) * hour;
    const start =
      trace.deadlineAt === null ? between(claimHours.from, claimHours.until) * hour : trace.deadlineAt - left;
    const amount = sats(Math.round(least * (most / least) ** next()));
    const created = tipAt(start + left - 24 * hour);
    // A swap below what its pair asks for when it is made is refused (a minimum moves with the fee).
    const rate = Math.max(1, estimate(created, 3));
    const exit = plus(feeUp(bytesOf.claim, rate), feeUp(bytesOf.refund, rate));
    if (amount < leastWorth({ source: noSats, target: noSats, flat: noSats, relay: noSats, exit })) {
      refused += 1;
      continue;
    }
    const first = tipAt(start) + 1;
    const deadline = Math.floor(begins + start + left);
    let last = first;
    while (last + 1 < trace.blocks.length && mtpBefore(trace, last + 1) <= deadline) last += 1;
    plans.push({ id: `claim-${plans.length}`, amount, script: htlcOutput, start, deadline, first, last });
  }
  return { plans, refused };
}

/** Blocks within which the funding of an HTLC is wanted: an hour. */
const anHour = 6;

/** Fundings of an HTLC from a coin of the wallet. Nothing is lost when one waits; it counts as late after six hours. */
export function fundingsOf(trace: FeeTrace, count: number, seed: number): ClaimPlan[] {
  const { between } = chanceFrom(seed);
  return Array.from({ length: count }, (_, i) => {
    const start = between(claimHours.from, claimHours.until) * hour;
    const first = trace.blocks.findLastIndex((block) => block.time <= start) + 1;
    return {
      id: `funding-${i}`,
      amount: sats(1_000_000),
      script: walletOutput,
      start,
      deadline: 0,
      first,
      last: first + 6 * anHour - 1,
    };
  });
}

/**
 * The same for a funding: the cheapest block of the hour in which it is wanted, by a transaction that needs no child.
 */
export function hindsightOfFunding(trace: FeeTrace, plan: ClaimPlan): number {
  return leastFee(trace, plan.first, plan.first + anHour - 1, fundingSize);
}

/**
 * Hindsight: the least fee with which this claim is mined in time, by one who knows every block that comes. He sends
 * once, at the rate of the cheapest block between the moment at which the secret is learned and the last one before the
 * client's refund opens, and never below one sat or what the mempool asks for when that block is mined. Nobody can pay
 * less, and nobody can know it.
 */
export function hindsightFee(trace: FeeTrace, { first, last }: ClaimPlan): number {
  return leastFee(trace, first, last, claimSize);
}

/**
 * What somebody pays in the mean who knows which rates the blocks until the deadline ask, and not in which order: the
 * best bid at each block, with as many to come as there are, by backward induction over draws from them. A second
 * scale, and no floor: whoever knows when it gets dear does better.
 */
export function informedFee({ blocks }: FeeTrace, { first, last }: ClaimPlan): number {
  const rates = blocks
    .slice(first, last + 1)
    .map(({ rate }) => rate)
    .sort((a, b) => a - b);
  let cost = rates.at(-1) ?? 0;
  for (let left = 1; left < rates.length; left++) {
    const later = cost;
    cost = rates.reduce((least, rate, i) => {
      const chance = (i + 1) / rates.length;
      return Math.min(least, chance * rate + (1 - chance) * later);
    }, later);
  }
  return Math.ceil(Math.max(1, cost) * claimSize);
}

function leastFee({ blocks }: FeeTrace, first: number, last: number, size: number): number {
  const cheapest = blocks
    .slice(first, last + 1)
    .reduce((low, { rate }) => Math.min(low, rate), Number.POSITIVE_INFINITY);
  return Math.ceil(Math.max(1, cheapest) * size);
}
