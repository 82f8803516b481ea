import { randomUUID } from 'node:crypto';
import type { Network } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Hash160 } from '../../domain/hash.ts';
import { btc, type Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { isStorageFailure } from '../../store/failure.ts';
import type { Effect, Machine } from '../../swap/machine.ts';
import type { ServiceContext } from '../context.ts';
import { Refused, used } from '../create.ts';

/** A withdrawal to begin: what it promises of a network's liquidity, and the hash that it takes for ever where it has one. */
export interface Job<T, P extends { readonly at: string }> {
  readonly machine: Pick<Machine<T, P>, 'name' | 'status'>;
  readonly network: Network;
  readonly amount: Sats;
  readonly terms: T;
  readonly progress: P;
  readonly effects: readonly Effect[];
  readonly hash?: Hash160;
}

/** A job that something else hangs on: under an id of its own, and only if nothing is said against it in the very turn of its commit. */
export interface BeginAs {
  readonly id: string;
  still(): Refusal | null;
  /** Until when its Arkade coins must live. */
  readonly outlives?: Unix;
}

/** How long a request waits for what became of its job: the job goes on by itself. */
const patienceMs = 10_000;

/** Begins a job, and waits for its first step: its id, or why nothing left (`nothingLeft` says it, with the reason given). */
export async function beginJob<T, P extends { readonly at: string }>(
  context: Pick<ServiceContext, 'runtime'>,
  job: Job<T, P>,
  nothingLeft: (reason: string | null) => string,
  as?: BeginAs,
): Promise<string | Refusal> {
  const { runtime } = context;
  const id = openJob(context, job, as);
  if (isRefusal(id)) return id;
  const at = await runtime.settled(id, (state) => state !== job.progress.at, patienceMs);
  if (at !== 'failed') return id;
  const progress = runtime.workingSet.find(id)?.row.progress;
  return refuse(
    'forbidden',
    nothingLeft(progress !== undefined && 'reason' in progress ? String(progress.reason) : null),
  );
}

/**
 * The transaction of a job on an EVM chain, of its variants the one that a node took last: whoever is told of it looks it up at once.
 * Empty where none did in time: the job goes on, and its row in the owner's list names all that was signed.
 */
export function takenTransaction({ runtime }: Pick<ServiceContext, 'runtime'>, id: string): Promise<string> {
  const { store, taken } = runtime;
  const isKnown = (txid: Txid): boolean => taken.has(txid) || store.nonces.ofTransaction(txid)?.mined?.by === txid;
  const latest = (): string | null => store.transactions.of(id).findLast(({ txid }) => isKnown(txid))?.txid ?? null;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      off();
      resolve(latest() ?? '');
    };
    const timer = setTimeout(end, patienceMs);
    const off = taken.on(() => {
      if (latest() !== null) end();
    });
    if (latest() !== null) end();
  });
}

/** Saves a job with its promise of liquidity, and its hash taken for ever where it has one, in one commit. */
function openJob<T, P extends { readonly at: string }>(
  { runtime }: Pick<ServiceContext, 'runtime'>,
  { machine, network, amount, terms, progress, effects, hash }: Job<T, P>,
  as?: BeginAs,
): string | Refusal {
  const now = runtime.clock.now().wall;
  const id = as?.id ?? randomUUID();
  try {
    runtime.commits.open(id, (store) => {
      const objection = as?.still() ?? null;
      if (objection !== null) throw new Refused(objection);
      if (hash !== undefined && !store.hashes.claim(hash, id)) throw new Refused(refuse('hash-used', used.invoice));
      store.reservations.hold(id, btc(network, amount));
      return {
        row: {
          id,
          machine: machine.name,
          createdAt: now,
          updatedAt: now,
          version: 0,
          status: machine.status(progress),
          open: true,
          flag: null,
          userId: null,
          valueSats: amount,
          terms,
          progress,
        },
        effects,
      };
    });
  } catch (cause) {
    if (cause instanceof Refused) return cause.refusal;
    if (isStorageFailure(cause))
      return refuse(
        'unavailable',
        'The database cannot be written now, and nothing is sent before it can: free disk space.',
      );
    throw cause;
  }
  return id;
}
