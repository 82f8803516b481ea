import { refuse, type Refusal } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { SwapStatus } from '../../domain/status.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { ServiceContext } from '../context.ts';

/*
 * What a signature of ours for a client's refund is asked for last, whatever the state of its swap says: what was given
 * for it that the state does not know of (facts/faults.md 5, 55).
 *
 * Loses money when wrong: the client has its own back, and what we gave for it.
 */

/**
 * States in which nothing of ours was given that this database knows of: a copy from before the coin finds it too late,
 * whatever was given for it in time.
 */
const before: ReadonlySet<SwapStatus> = new Set(['pending', 'clientinvalidfunded', 'clientfundedtoolate', 'expired']);

type Runs = Pick<ServiceContext, 'runtime'>;
type Knows = Runs & Pick<ServiceContext, 'directions'>;

/**
 * Whether a database that was restored from a backup may have forgotten what was given for a swap, by these terms or by
 * others: its client's refund is not signed then. A payment is found by its hash, where its invoice was named; its
 * swap alone looks for a lock, while what the client gave lies there.
 */
export function givenSince({ runtime, directions }: Knows, row: SwapRow): boolean {
  const { bolt11 } = row.terms as { readonly bolt11?: string };
  // Nothing but a restore notes a lock on Arkade: one that was called off by the clock, before its script was looked
  // at, may stand.
  const isCalledOff = row.status === 'serverwontfund' && directions.of(row.machine)?.locksOn === 'arkade';
  const isUnknown = bolt11 === '' || (bolt11 === undefined && (before.has(row.status) || isCalledOff));
  return isUnknown && runtime.store.intents.has('payment', row.id);
}

/**
 * Whether the Lightning node still pays for a swap. A call to pay may have arrived since the swap was called off, which
 * its state is in `doubt` of, or have been forgotten by a restored database: only the node's word opens the refund
 * then, and the swap hears it. False where there is no payment to ask for.
 */
export async function stillPays({ runtime }: Runs, entry: Entry, doubt: Sha256 | null): Promise<boolean | Refusal> {
  const { ports, commits } = runtime;
  const hash = paymentInDoubt(runtime, entry, doubt);
  if (hash === null) return false;
  const state = await ports.lightning?.payment(hash).catch(() => null);
  if (state === null || state === undefined)
    return refuse(
      'unavailable',
      'The Lightning node does not answer, so it is not known whether it still pays the invoice: try again later.',
    );
  commits.deliver(entry.row.id, { is: 'payment.seen', state });
  return state.is === 'in-flight';
}

/** The hash of the payment that the Lightning node is asked for; null where there is none. */
export function paymentInDoubt(
  { store }: Pick<Runs['runtime'], 'store'>,
  { row: { id, terms } }: Entry,
  doubt: Sha256 | null,
): Sha256 | null {
  const { bolt11, hash } = terms as { readonly bolt11?: string; readonly hash: Sha256 };
  return doubt ?? (bolt11 !== undefined && store.intents.has('payment', id) ? hash : null);
}
