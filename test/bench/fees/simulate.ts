import { dust } from '../../../engine/legs/leaf-spend.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { totalOut, type Tx } from '../../../engine/sandbox/world/bitcoin/tx.ts';
import { chanceFrom } from '../../crash/support/chance.ts';
import { simulatedChain, type SimulatedChain } from './chain.ts';
import {
  claimsOf,
  fundingsOf,
  hindsightFee,
  hindsightOfFunding,
  informedFee,
  type Claim,
  type ClaimPlan,
} from './claims.ts';
import { bestRule } from './best-rule.ts';
import { engineOver, openSimulatedStore, type SimulatedStore } from './engine.ts';
import { estimatesOf } from './estimates.ts';
import { fixedFee, nineThenThree } from './policies.ts';
import { feeTrace, type FeeTrace } from './trace.ts';
import { origin } from './transactions.ts';

/** Seconds between two looks where no block comes. */
const lookEvery = 600;

export interface Fate {
  readonly plan: ClaimPlan;
  /** Null for a claim that was not mined in time. */
  readonly paid: number | null;
  readonly waited: number | null;
}

type Follow = (claim: Claim) => Promise<() => Promise<void>>;

/** Plays a trace with all its claims, each looked at after each block and now and then between. */
async function play(
  trace: FeeTrace,
  chain: SimulatedChain,
  plans: readonly ClaimPlan[],
  clock: { now: number },
  follow: Follow,
): Promise<Fate[]> {
  const waiting = [...plans].sort((a, b) => a.start - b.start);
  const open = new Map<string, { claim: Claim; look: () => Promise<void> }>();
  const fates: Fate[] = [];
  let serial = 1;
  const lookAll = async (): Promise<void> => {
    for (const { look } of open.values()) await look();
  };
  for (let at = 1; at < trace.blocks.length; at++) {
    const { time } = trace.blocks[at] ?? { time: 0 };
    for (let next = clock.now + lookEvery; ; next += lookEvery) {
      while ((waiting[0]?.start ?? Number.POSITIVE_INFINITY) < Math.min(next, time)) {
        const plan = waiting.shift();
        if (plan === undefined) break;
        clock.now = Math.max(clock.now, Math.floor(plan.start));
        const claim = { ...plan, coin: chain.give(origin(serial++, plan.script, plan.amount), 0) };
        const look = await follow(claim);
        open.set(outpointKey(claim.coin), { claim, look });
        await look();
      }
      if (next >= time) break;
      clock.now = next;
      await lookAll();
    }
    clock.now = time;
    chain.mine();
    for (const [key, { claim }] of open) {
      const mined = chain.minedSpend(claim.coin);
      if (mined !== null && mined.block <= claim.last) {
        const paid = Number(claim.amount - totalOut(mined.tx)) + childFee(chain, mined.tx);
        fates.push({ plan: claim, paid, waited: mined.block - claim.first + 1 });
        open.delete(key);
      } else if (at >= claim.last) {
        fates.push({ plan: claim, paid: null, waited: null });
        open.delete(key);
      }
    }
    await lookAll();
    if (open.size === 0 && waiting.length === 0) break;
  }
  return fates;
}

/** What the child of a funding's change paid in the same block. */
function childFee(chain: SimulatedChain, { txid, outputs }: Tx): number {
  const child = chain.minedSpend({ txid, vout: 1 });
  return child === null ? 0 : Number((outputs[1]?.amount ?? 0n) - totalOut(child.tx));
}

export interface Measure {
  readonly lost: number;
  /** What hindsight had saved of them: their value less its fee. */
  readonly lostSats: number;
  /** All fees beside hindsight's, of the claims that could be saved. */
  readonly overpay: number;
  readonly overpayP95: number;
  /** In blocks. */
  readonly meanWait: number;
  readonly longestWait: number;
}

const two = (value: number): number => Math.round(value * 100) / 100;

function sumOf(plans: readonly ClaimPlan[], fee: (plan: ClaimPlan) => number): number {
  return plans.reduce((sum, plan) => sum + fee(plan), 0);
}

function measured(fates: readonly Fate[], hindsight: (plan: ClaimPlan) => number): Measure {
  let [lostSats, lost, paid, best, waited] = [0, 0, 0, 0, 0];
  const ratios: number[] = [];
  for (const fate of fates) {
    const least = hindsight(fate.plan);
    if (fate.paid === null) {
      lost += 1;
      lostSats += Number(fate.plan.amount) - least;
      continue;
    }
    paid += fate.paid;
    best += least;
    waited += fate.waited ?? 0;
    ratios.push(fate.paid / least);
  }
  ratios.sort((a, b) => a - b);
  return {
    lostSats,
    lost,
    overpay: two(paid / best),
    overpayP95: two(ratios[Math.floor(ratios.length * 0.95)] ?? Number.NaN),
    meanWait: two(waited / ratios.length),
    longestWait: Math.max(...fates.map((fate) => fate.waited ?? 0)),
  };
}

/** A trace with its estimates, and a chain of its own for each who plays on it. */
function stage(name: string, seed: number) {
  const trace = feeTrace(name, seed);
  const estimate = estimatesOf(trace.blocks);
  const tipAt = (now: number): number => trace.blocks.findLastIndex(({ time }) => time <= now);
  const by = async (
    plans: readonly ClaimPlan[],
    hindsight: (plan: ClaimPlan) => number,
    follow: (chain: SimulatedChain, clock: { readonly now: number }) => Follow,
    timesMean?: (height: number) => number,
  ): Promise<Measure> => {
    const clock = { now: 0 };
    const chain = simulatedChain(
      trace,
      (target) => estimate(tipAt(clock.now), target),
      chanceFrom(seed + 2).next,
      timesMean,
    );
    return measured(await play(trace, chain, plans, clock, follow(chain, clock)), hindsight);
  };
  return { trace, estimate, by };
}

/** A block pays so many times in the mean what it asks at least, made up for each block. */
function timesMean(height: number): number {
  return 1.5 + chanceFrom(height).next();
}

/**
 * Claims of a trace by the engine and by two plain policies, beside hindsight. Too small to be saved by anybody are
 * told apart.
 */
export async function simulateClaims(name: string, count: number, seed: number) {
  const { trace, estimate, by } = stage(name, seed);
  const { plans, refused } = claimsOf(trace, count, seed + 1, estimate);
  const hindsight = (plan: ClaimPlan): number => hindsightFee(trace, plan);
  const savable = plans.filter((plan) => hindsight(plan) <= Number(plan.amount - dust));
  const least = sumOf(savable, hindsight);
  const best = bestRule(trace, savable);
  const bySluice = (times?: (height: number) => number): Promise<Measure> =>
    withStore((store) =>
      by(savable, hindsight, (chain, clock) => engineOver(chain, store, () => clock.now).claim, times),
    );
  return {
    claims: savable.length,
    tooSmallToSave: plans.length - savable.length,
    refusedByTheMinimum: refused,
    informed: { overpay: two(sumOf(savable, (plan) => informedFee(trace, plan)) / least) },
    bestRule: { overpay: best === null ? null : two(best / least) },
    sluice: await bySluice(),
    byMeans: await bySluice(timesMean),
    fixedFee: await by(savable, hindsight, (chain) => (claim) => fixedFee(chain, claim)),
    nineThenThree: await by(savable, hindsight, (chain) => (claim) => nineThenThree(chain, claim)),
  };
}

/** Claims by the engine alone, a few of each of many seeds: what one seed says may be its luck. */
export async function simulateSeeds(name: string, claims: number, seeds: readonly number[]) {
  const measures: Measure[] = [];
  for (const seed of seeds) {
    const { trace, estimate, by } = stage(name, seed);
    const hindsight = (plan: ClaimPlan): number => hindsightFee(trace, plan);
    const { plans } = claimsOf(trace, claims, seed + 1, estimate);
    const savable = plans.filter((plan) => hindsight(plan) <= Number(plan.amount - dust));
    measures.push(
      await withStore((store) =>
        by(savable, hindsight, (chain, clock) => engineOver(chain, store, () => clock.now).claim),
      ),
    );
  }
  const overpaid = measures.map(({ overpay }) => overpay).sort((a, b) => a - b);
  return {
    seeds: seeds.length,
    lost: measures.reduce((sum, { lost }) => sum + lost, 0),
    lostSats: measures.reduce((sum, { lostSats }) => sum + lostSats, 0),
    meanOverpay: two(overpaid.reduce((sum, one) => sum + one, 0) / overpaid.length),
    medianOverpay: overpaid[Math.floor(overpaid.length / 2)],
    worstOverpay: overpaid.at(-1),
  };
}

/** Fundings of a trace, which a child pays for when they wait. */
export async function simulateFundings(name: string, count: number, seed: number) {
  const { trace, by } = stage(name, seed);
  return withStore((store) =>
    by(
      fundingsOf(trace, count, seed + 1),
      (plan) => hindsightOfFunding(trace, plan),
      (chain, clock) => engineOver(chain, store, () => clock.now).funding,
    ),
  );
}

async function withStore<T>(work: (store: SimulatedStore) => Promise<T>): Promise<T> {
  const { store, close } = openSimulatedStore();
  try {
    return await work(store);
  } finally {
    close();
  }
}
