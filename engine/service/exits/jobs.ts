import { randomUUID } from 'node:crypto';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { outpointKey, outpointOf, type Outpoint } from '../../domain/outpoint.ts';
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
    const jobs = new Map<string, string>();
    for (const { row, machine } of runtime.workingSet.all())
      if (machine.name === unrollArkade.name) jobs.set(outpointKey((row.terms as UnrollTerms).coin), row.id);
    return jobs;
  }

  /**
   * How many want coins of the Bitcoin wallet still: the others lie on the chain, and wait to be buried. The chain is
   * asked, for a reorganisation takes them back (facts/faults.md 278).
   */
  async function underway(): Promise<number> {
    let count = 0;
    for (const coin of open().keys()) {
      const there = await bitcoinOf(ports).transaction(outpointOf(coin).txid);
      if (there === null || there.height === null) count++;
    }
    return count;
  }

  function begin({ candidate, path, from }: ExitStart, rate: number): string | Refusal {
    const { coin, deadline, whose } = candidate;
    const mostFee = claimCeiling(path.amount, ceilings(), false);
    const wrong = wrongWith({ coin, path, from }, { rate, mostFee });
    if (wrong !== null) return wrong;
    const terms: UnrollTerms = { coin, amount: path.amount, mostFee, ...(whose === 'swap' ? { deadline } : {}) };
    const id = randomUUID();
    const { wall } = clock.now();
    runtime.commits.open(id, () => ({
      row: newRow({
        id,
        machine: unrollArkade.name,
        createdAt: wall,
        status: 'pending',
        valueSats: path.amount,
        terms,
        progress: { at: 'unrolling' },
      }),
      effects: [unrollEffect(terms)],
    }));
    const key = outpointKey(coin);
    tries.note(key, wall);
    log.info({ job: id, coin: key }, 'a coin of ours is brought to the chain');
    return id;
  }

  /** Why it is not begun: a way that does not hold, or one that is too dear. */
  function wrongWith(
    { coin, path, from }: Pick<ExitStart, 'path' | 'from'> & { readonly coin: Outpoint },
    { rate, mostFee }: { readonly rate: number; readonly mostFee: bigint },
  ): Refusal | null {
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

  return {
    open,
    underway,
    /** Null where nothing is saved of its way, it is there or on its way there, or its last failure is not over. */
    async startOf(candidate: ExitCandidate): Promise<ExitStart | null> {
      const { coin } = candidate;
      const key = outpointKey(coin);
      const path = store.exits.path(coin);
      if (path === null || open().has(key)) return null;
      const { wall } = clock.now();
      const rest = longestRest({ ...candidate, transactions: path.transactions.length, now: wall });
      if (tries.rests(key, wall, rest)) return null;
      const next = await nextOnWay(path, bitcoinOf(ports));
      return next === null ? null : { candidate, path, from: next.index };
    },
    /** As many as may, all in one turn: the first to look for a coin that pays then sees how many others will. */
    async beginAll(starts: readonly ExitStart[], most: number): Promise<ExitBegun[]> {
      if (starts.length === 0) return [];
      const rate = Math.max(1, await bitcoinOf(ports).feeRate(6));
      const jobs = open();
      let room = most;
      return starts.flatMap((start) => {
        if (room <= 0 || jobs.has(outpointKey(start.candidate.coin))) return [];
        const id = begin(start, rate);
        if (!isRefusal(id)) room--;
        return [{ start, id }];
      });
    },
  };
}

export type ExitJobs = ReturnType<typeof createExitJobs>;
