import { randomUUID } from 'node:crypto';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { hour, unix, type Unix } from '../../domain/time.ts';
import { exitPathFailure } from '../../legs/arkade/exit-path.ts';
import { exitCosts, longestRest, type ExitFacts } from '../../legs/arkade/exit-rule.ts';
import { claimCeiling, type ClaimCeilings } from '../../quote/ceilings.ts';
import { minedChildren, sumOf } from '../../runtime/networks/arkade/way-paid.ts';
import { nextOnWay } from '../../runtime/networks/arkade/way.ts';
import { urgencyOf } from '../../runtime/networks/onchain/fee-urgency.ts';
import { NotYet } from '../../runtime/not-yet.ts';
import { bitcoinOf } from '../../runtime/ports.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { newRow } from '../../runtime/working-set.ts';
import type { SavedExit } from '../../store/exits.ts';
import { unrollArkade, unrollEffect, type UnrollTerms } from '../../swap/jobs/unroll-arkade.ts';
import { createTries } from './tries.ts';

/** Coins on their way at once: each wants a coin of the Bitcoin wallet at a time. */
export const mostUnderway = 20;
/** Jobs that are open at all, with those that wait: each is looked at again and again. */
const mostOpen = 200;

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

  function running(): (readonly [id: string, terms: UnrollTerms])[] {
    return [...runtime.workingSet.all()]
      .filter(({ machine }) => machine.name === unrollArkade.name)
      .map(({ row }) => [row.id, row.terms as UnrollTerms]);
  }

  /** Those that are open, by their coins. */
  function open(): Map<string, string> {
    return new Map(running().map(([id, { coin }]) => [outpointKey(coin), id]));
  }

  /**
   * How many may begin: as many as are not on their way yet, of those that may be at once. What lies on the chain waits
   * to be buried, and what the fees of now forbid to go on waits for cheaper blocks: neither keeps another coin from
   * leaving. The chain is asked, for a reorganisation takes them back (facts/faults.md 278).
   */
  async function room(): Promise<number> {
    const jobs = running();
    const bitcoin = bitcoinOf(ports);
    const rates = new Map<number, number>();
    let underway = 0;
    for (const [id, terms] of jobs) {
      const there = await bitcoin.transaction(terms.coin.txid);
      if (there !== null && there.height !== null) continue;
      const { within } = urgencyOf(terms.deadline, clock.now().bitcoin.mtp ?? 0);
      const rate = rates.get(within) ?? (await bitcoin.feeRate(within));
      rates.set(within, rate);
      if (await mayGoOn(id, terms, { rate, runtime })) underway++;
    }
    return Math.min(mostUnderway - underway, mostOpen - jobs.length);
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
    room,
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

/**
 * Whether the rest of its way costs no more than what it may cost still; true as well where that cannot be read now.
 */
async function mayGoOn(
  id: string,
  { coin, mostFee }: UnrollTerms,
  { rate, runtime }: { readonly rate: number; readonly runtime: Runtime },
): Promise<boolean> {
  const path = runtime.store.exits.path(coin);
  if (path === null) return true;
  try {
    const next = await nextOnWay(path, bitcoinOf(runtime.ports));
    if (next === null) return true;
    return exitCosts(path, rate, next.index) <= mostFee - sumOf(await minedChildren(id, runtime));
  } catch (cause) {
    if (cause instanceof PortFailure || cause instanceof NotYet) return true;
    throw cause;
  }
}

export type ExitJobs = ReturnType<typeof createExitJobs>;
