import { randomUUID } from 'node:crypto';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { hour, unix, type Unix } from '../../domain/time.ts';
import { exitPathFailure } from '../../legs/arkade/exit-path.ts';
import { exitCosts, isShortOfTime, isTooDear, longestRest, type ExitFacts } from '../../legs/arkade/exit-rule.ts';
import { claimCeiling, type ClaimCeilings } from '../../quote/ceilings.ts';
import { nextOnExitPath } from '../../runtime/networks/arkade/exit-path.ts';
import { bitcoinOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { newRow } from '../../runtime/working-set.ts';
import type { SavedExit } from '../../store/exits.ts';
import { unrollArkade, unrollEffect, type UnrollTerms } from '../../swap/jobs/unroll-arkade.ts';
import { exitPlaces, exitRates, runningExits, type ExitRates } from './places.ts';
import { createTries } from './tries.ts';

/**
 * After so many that cannot be begun, one after the other, the chain is asked about none whose whole way is too dear.
 * Coins of swaps are few.
 */
const mostRefusals = { swap: Infinity, wallet: 20 } as const;

/** A coin that could leave its operator, and what speaks for it. */
export interface ExitCandidate extends Pick<
  ExitFacts,
  'distrusted' | 'unfinishedRefundSince' | 'unmined' | 'whose' | 'delay'
> {
  readonly coin: Outpoint;
  readonly deadline: Unix;
  readonly swap: string | null;
}

/** With its way, as it is saved. */
interface OnItsWay {
  readonly candidate: ExitCandidate;
  readonly path: SavedExit;
}

/** One of which all speaks for leaving now. */
export interface ExitStart extends OnItsWay {
  /** Transactions of its way that are mined already. */
  readonly from: number;
}

/** What came of it: the id of a job, or why there is none. */
export interface ExitBegun {
  readonly start: ExitStart;
  readonly id: string | Refusal;
}

/** `inTurn`: those for which there was no place, and those behind many that are too dear and too dear themselves. */
export interface ExitsBegun {
  readonly begun: readonly ExitBegun[];
  readonly inTurn: readonly ExitCandidate[];
}

interface ExitJobsOptions {
  readonly runtime: Runtime;
  readonly ceilings: () => ClaimCeilings;
}

/**
 * Jobs that bring coins of ours to the chain, one for each coin. Whether a coin must leave is for whoever begins one to
 * say.
 */
export function createExitJobs({ runtime, ceilings }: ExitJobsOptions) {
  const { ports, clock, log } = runtime;
  const tries = createTries({ first: hour, factor: 2 });

  /** Those that are open, by their coins. */
  function open(): Map<string, string> {
    return new Map(runningExits(runtime).map(([id, { coin }]) => [outpointKey(coin), id]));
  }

  function termsOf({ candidate, path }: OnItsWay): UnrollTerms {
    const { coin, deadline, whose } = candidate;
    const mostFee = claimCeiling(path.amount, ceilings(), false);
    return { coin, amount: path.amount, mostFee, ...(whose === 'swap' ? { deadline } : {}) };
  }

  function begin(start: ExitStart): string {
    const terms = termsOf(start);
    const id = randomUUID();
    const { wall } = clock.now();
    runtime.commits.open(id, () => ({
      row: newRow({
        id,
        machine: unrollArkade.name,
        createdAt: wall,
        status: 'pending',
        valueSats: terms.amount,
        terms,
        progress: { at: 'unrolling' },
      }),
      effects: [unrollEffect(terms)],
    }));
    const key = outpointKey(terms.coin);
    tries.note(key, wall);
    log.info({ job: id, coin: key }, 'a coin of ours is brought to the chain');
    return id;
  }

  /** Why it is not begun: a way that does not hold, or one that is too dear. */
  function wrongWith({ path, from }: ExitStart, { coin, mostFee }: UnrollTerms, rate: number): Refusal | null {
    const { mtp, height } = clock.now().bitcoin;
    const wrong = exitPathFailure(path, { mtp: mtp ?? unix(0), height: height ?? 0 });
    if (wrong !== null)
      return refuse(
        'forbidden',
        `The transactions that were saved to bring coin ${outpointKey(coin)} to the chain are not valid (${wrong}): ` +
          'its exit is not begun.',
      );
    const cost = exitCosts(path, rate, from);
    return cost > mostFee
      ? refuse(
          'forbidden',
          `Bringing coin ${outpointKey(coin)} of ${path.amount} sats to the chain would cost about ${cost} sats now, ` +
            `limit ${mostFee} (ceilings.claimBps): it waits for lower fees.`,
        )
      : null;
  }

  /** Null where it is there, or its last failure is not over. */
  async function startOf({ candidate, path }: OnItsWay): Promise<ExitStart | null> {
    const { wall } = clock.now();
    const rest = longestRest({ ...candidate, transactions: path.transactions.length, now: wall });
    if (tries.rests(outpointKey(candidate.coin), wall, rest)) return null;
    const next = await nextOnExitPath(path, bitcoinOf(ports));
    return next === null ? null : { candidate, path, from: next.index };
  }

  /** Its whole way is; of one whose way is mined in part the chain would tell more. */
  async function isDear(one: OnItsWay, rateOf: ExitRates): Promise<boolean> {
    const { mostFee, deadline } = termsOf(one);
    return isTooDear(one.path, await rateOf(deadline), mostFee);
  }

  return {
    open,
    /**
     * As many of these as there are places for, in their order (`inOrder`), and all in one turn: the first to look for
     * a coin that pays then sees how many others will. One that is too dear takes no place. Those of swaps are begun
     * before those of the wallet are looked at, which a stranger can make many (facts/faults.md 315).
     */
    async beginFirst(whose: ExitFacts['whose'], candidates: readonly ExitCandidate[]): Promise<ExitsBegun> {
      const onWay = open();
      const waiting = candidates.filter((one) => one.whose === whose && !onWay.has(outpointKey(one.coin)));
      if (waiting.length === 0) return { begun: [], inTurn: [] };
      const rateOf = exitRates(runtime);
      let left = await exitPlaces(whose, runtime, rateOf);
      const judged: { readonly start: ExitStart; readonly refusal: Refusal | null }[] = [];
      const inTurn: ExitCandidate[] = [];
      for (const group of inOrder(whose, waiting, runtime)) {
        let refusals = 0;
        for (const one of group) {
          const isPutOff = left <= 0 || (refusals >= mostRefusals[whose] && (await isDear(one, rateOf)));
          if (isPutOff) inTurn.push(one.candidate);
          const start = isPutOff ? null : await startOf(one);
          if (start === null) continue;
          const terms = termsOf(start);
          const refusal = wrongWith(start, terms, await rateOf(terms.deadline));
          if (refusal === null) left--;
          refusals = refusal === null ? 0 : refusals + 1;
          judged.push({ start, refusal });
        }
      }
      const jobs = open();
      const fresh = judged.filter(({ start }) => !jobs.has(outpointKey(start.candidate.coin)));
      return { begun: fresh.map(({ start, refusal }) => ({ start, id: refusal ?? begin(start) })), inTurn };
    },
  };
}

/**
 * Of swaps by their deadlines, for somebody else may take them. Of the wallet those first that have no more time than
 * leaving takes; of them as of the others the largest, so that coins that a stranger sends stand in front of none that
 * is worth more (facts/faults.md 315). Left out where nothing is saved of its way.
 */
function inOrder(
  whose: ExitFacts['whose'],
  candidates: readonly ExitCandidate[],
  { store: { exits }, clock }: Runtime,
): OnItsWay[][] {
  const { wall: now } = clock.now();
  const all = candidates.flatMap((candidate) => {
    const path = exits.path(candidate.coin);
    return path === null ? [] : [{ candidate, path }];
  });
  const byWorth = (a: OnItsWay, b: OnItsWay): number => Number(b.path.amount - a.path.amount);
  if (whose === 'swap') return [all.sort((a, b) => a.candidate.deadline - b.candidate.deadline || byWorth(a, b))];
  const isShort = ({ candidate, path }: OnItsWay): boolean =>
    isShortOfTime({ ...candidate, transactions: path.transactions.length, now });
  const sorted = all.sort(byWorth);
  return [sorted.filter(isShort), sorted.filter((one) => !isShort(one))];
}

export type ExitJobs = ReturnType<typeof createExitJobs>;
