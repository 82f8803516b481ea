import { randomUUID } from 'node:crypto';
import type { Withdrawal } from '../../contract/owner/wallets.ts';
import type { Network } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Hash160 } from '../../domain/hash.ts';
import { btc, type Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { isStorageFailure } from '../../store/failure.ts';
import type { TransactionRow } from '../../store/transactions.ts';
import type { Effect, Machine } from '../../swap/machine.ts';
import type { ServiceContext } from '../context.ts';
import { Refused, used } from '../create/create.ts';
import { newRow } from '../../runtime/working-set.ts';

/**
 * A withdrawal to begin: what it promises of a network's liquidity, and the hash that it takes for ever where it has
 * one.
 */
export interface Job<T, P extends { readonly at: string }> {
  readonly machine: Pick<Machine<T, P>, 'name' | 'status'>;
  readonly network: Network;
  readonly amount: Sats;
  readonly terms: T;
  readonly progress: P;
  readonly effects: readonly Effect[];
  readonly hash?: Hash160;
  /** By which its payment is known where it is no transaction. */
  readonly payment?: string;
}

/**
 * A job that something else hangs on: under an id of its own, and only if nothing is said against it in the very turn
 * of its commit.
 */
export interface BeginAs {
  readonly id: string;
  still(): Refusal | null;
  /** Until when its Arkade coins must live. */
  readonly outlives?: Unix;
}

/** How long a request waits for what became of its job: the job goes on by itself. */
const patienceMs = 10_000;

/**
 * Begins a job, and waits until its network has what it sends: whoever is told of a transaction looks it up at once,
 * and one that is signed alone is no payment yet. After a while it answers that nothing was sent yet; or why nothing
 * ever will be (`nothingLeft` says it, with the reason given).
 */
export async function beginJob<T, P extends { readonly at: string }>(
  context: Pick<ServiceContext, 'runtime'>,
  job: Job<T, P>,
  nothingLeft: (reason: string | null) => string,
  as?: BeginAs,
): Promise<Withdrawal | Refusal> {
  const id = openJob(context, job, as);
  if (isRefusal(id)) return id;
  const whatLeft = (): Withdrawal | Refusal | null => {
    const progress = context.runtime.workingSet.find(id)?.row.progress;
    if (progress?.at === 'failed')
      return refuse('forbidden', nothingLeft('reason' in progress ? String(progress.reason) : null));
    const transaction =
      job.payment === undefined ? latestTaken(context, id) : progress?.at === job.progress.at ? null : job.payment;
    return transaction === null ? null : { id, sent: true, transaction };
  };
  return (await context.runtime.found(id, whatLeft, patienceMs)) ?? { id, sent: false, transaction: '' };
}

/** As an RPC of its chain takes it, and an explorer. */
function shownTxid({ network, txid }: Pick<TransactionRow, 'network' | 'txid'>): string {
  return network.startsWith('evm:') ? `0x${txid}` : txid;
}

/** Of the variants of a transaction the one that its network took last; null while none did. */
function latestTaken(context: Pick<ServiceContext, 'runtime'>, id: string): string | null {
  const last = context.runtime.store.transactions.of(id).findLast(({ txid }) => isTaken(context, txid));
  return last === undefined ? null : shownTxid(last);
}

/** What is there by an answer of its network, in this run of the node or, once nothing changes it any more, in any. */
export function isTaken({ runtime: { store, taken } }: Pick<ServiceContext, 'runtime'>, txid: Txid): boolean {
  return (
    taken.has(txid) ||
    store.nonces.ofTransaction(txid)?.mined?.by === txid ||
    store.transactions.byId(txid)?.state === 'final'
  );
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
        row: newRow({
          id,
          machine: machine.name,
          createdAt: now,
          status: machine.status(progress),
          valueSats: amount,
          terms,
          progress,
        }),
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
