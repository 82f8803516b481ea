import { randomUUID } from 'node:crypto';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { hour, unix, type Unix } from '../../domain/time.ts';
import { exitPathFailure } from '../../legs/arkade/exit-path.ts';
import { exitCosts, longestRest, type ExitFacts } from '../../legs/arkade/exit-rule.ts';
import { claimCeiling, type ClaimCeilings } from '../../quote/ceilings.ts';
import { nextOnWay } from '../../runtime/networks/arkade/way.ts';
import { bitcoinOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { newRow } from '../../runtime/working-set.ts';
import type { SavedExit } from '../../store/exits.ts';
import { unrollArkade, unrollEffect, type UnrollTerms } from '../../swap/jobs/unroll-arkade.ts';
import { exitPlaces, exitRates, runningExits } from './places.ts';
import { createTries } from './tries.ts';

/** A coin that could leave its operator, and what speaks for it. */
export interface ExitCandidate extends Pick<ExitFacts, 'distrusted' | 'stranded' | 'whose' | 'delay'> {
  readonly coin: Outpoint;
  readonly deadline: Unix;
  readonly swap: string | null;
}

/** One of which all speaks for leaving now. */
export interface ExitStart {
  readonly candidate: ExitCandidate;
  readonly path: SavedExit;
  /** Transactions of its way that are mined already. */
  readonly from: number;
}

/** What came of it: the id of a job, or why there is none. */
export interface ExitBegun {
  readonly start: ExitStart;
  readonly id: string | Refusal;
}

/** `inTurn`: those for which there was no place. */
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
  const { store, ports, clock, log } = runtime;
  const tries = createTries({ first: hour, factor: 2 });

  /** Those that are open, by their coins. */
  function open(): Map<string, string> {
    return new Map(runningExits(runtime).map(([id, { coin }]) => [outpointKey(coin), id]));
  }

  function termsOf({ candidate, path }: Pick<ExitStart, 'candidate' | 'path'>): UnrollTerms {
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

  /** Null where nothing is saved of its way, it is there, or its last failure is not over. */
  async function startOf(candidate: ExitCandidate): Promise<ExitStart | null> {
    const { coin } = candidate;
    const key = outpointKey(coin);
    const path = store.exits.path(coin);
    if (path === null) return null;
    const { wall } = clock.now();
    const rest = longestRest({ ...candidate, transactions: path.transactions.length, now: wall });
    if (tries.rests(key, wall, rest)) return null;
    const next = await nextOnWay(path, bitcoinOf(ports));
    return next === null ? null : { candidate, path, from: next.index };
  }

  return {
    open,
    /**
     * As many as there are places for, in their order (`inOrder`), and all in one turn: the first to look for a coin
     * that pays then sees how many others will. One that is too dear takes no place.
     */
    async beginFirst(candidates: readonly ExitCandidate[]): Promise<ExitsBegun> {
      const onWay = open();
      const waiting = inOrder(candidates, store).filter(({ coin }) => !onWay.has(outpointKey(coin)));
      if (waiting.length === 0) return { begun: [], inTurn: [] };
      const rateOf = exitRates(runtime);
      const left = await exitPlaces(runtime, rateOf);
      const judged: { readonly start: ExitStart; readonly refusal: Refusal | null }[] = [];
      const inTurn: ExitCandidate[] = [];
      for (const candidate of waiting) {
        const isFull = left[candidate.whose] <= 0;
        if (isFull) inTurn.push(candidate);
        const start = isFull ? null : await startOf(candidate);
        if (start === null) continue;
        const terms = termsOf(start);
        const refusal = wrongWith(start, terms, await rateOf(terms.deadline));
        if (refusal === null) left[candidate.whose]--;
        judged.push({ start, refusal });
      }
      const jobs = open();
      const fresh = judged.filter(({ start }) => !jobs.has(outpointKey(start.candidate.coin)));
      return { begun: fresh.map(({ start, refusal }) => ({ start, id: refusal ?? begin(start) })), inTurn };
    },
  };
}

/**
 * Those that swaps go by first, by their deadlines, for somebody else may take them; then the largest: coins that a
 * stranger sends stand in front of none that is worth more (facts/faults.md 315).
 */
function inOrder(candidates: readonly ExitCandidate[], { exits }: Runtime['store']): ExitCandidate[] {
  const worth = new Map(candidates.map(({ coin }) => [coin, Number(exits.path(coin)?.amount ?? 0n)]));
  const byWorth = (a: ExitCandidate, b: ExitCandidate): number => (worth.get(b.coin) ?? 0) - (worth.get(a.coin) ?? 0);
  const ofSwaps = candidates.filter(({ whose }) => whose === 'swap');
  const others = candidates.filter(({ whose }) => whose === 'wallet');
  return [...ofSwaps.sort((a, b) => a.deadline - b.deadline || byWorth(a, b)), ...others.sort(byWorth)];
}

export type ExitJobs = ReturnType<typeof createExitJobs>;
